"""Fields of config objects, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend.config_fields import RULE

MODULE = (
    HEAD
    + """\
import collections
import dataclasses

Args = collections.namedtuple("Args", ["scale", "kernel"])


@dataclasses.dataclass
class Config:
    width: int = 3
    name: str = "a"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._args = Args(2.5, [1, 3])
        self.config = Config()
        self.table = dict(a=1, b="c")

    def forward(self, x):
{}        return x
"""
)
STATEMENTS = [
    "scale, kernel = self._args.scale, self._args.kernel\n        x = x * scale + kernel[1]",
    "x = x + self._args.kernel[0]",
    "x = x * self.config.width if self.config.name == 'a' else x",
    "x = x + self.table['a'] if self.table['b'] == 'c' else x",
]


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4))
def test_fields_answer_as_before_and_script(tmp_path_factory, statements: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    source = MODULE.format("".join(f"        {statement}\n" for statement in statements))
    found = recover(folder, source, [RULE], torch.randn(2, 3))
    assert found.scripts and found.answers_alike, (found.messages, found.source)
