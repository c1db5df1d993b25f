"""Layers that some instances lack, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend.missing_layers import RULE

MODULE = (
    HEAD
    + """\
class Block(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        if kind > 0:
            self.up = nn.Linear(3, 3)
        if kind == 1:
            self.act = nn.ReLU()
        elif kind == 2:
            self.act = nn.Tanh()
            self.norm = nn.LayerNorm(3)

    def forward(self, x):
{}
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(Block(kind) for kind in range(4)))

    def forward(self, x):
        return self.blocks(x)
"""
)
STATEMENTS = [
    "if self.kind > 0:\n    x = self.up(x)",
    "if self.kind > 0:\n    x = x + 1\n    if x.dim() == 2:\n        x = self.up(x)",
    "x = self.norm(x) if self.kind == 2 else x",
    "x = x if self.kind in [0, 3] else self.act(x)",
    "for _ in range(self.kind):\n    x = x * self.up.weight.sum()",
    "if self.kind == 0:\n    return x\nx = self.up(x)",
    "if self.kind == 2:\n    x = self.act(x)\n    x = self.norm(x)\nelse:\n    x = x * 2",
]


@settings(max_examples=6, deadline=None)
@given(statements=st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4))
def test_blocks_answer_as_before_and_script(tmp_path_factory, statements: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    body = "\n".join(f"        {line}" for statement in statements for line in statement.split("\n"))
    found = recover(folder, MODULE.format(body), [RULE], torch.randn(2, 3))
    assert found.scripts and found.answers_alike, (found.messages, found.source)


def test_what_is_used_against_its_condition_still_raises(tmp_path: Path) -> None:
    source = MODULE.format("        if self.kind > 1:\n            x = self.norm(x)").replace("range(4)", "range(3)")
    found = recover(tmp_path, source, [RULE], torch.randn(2, 3))
    assert "assert self.norm is not None" in found.source and "self.norm = None" in found.source
