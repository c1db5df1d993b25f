"""Helpers that ask for None, before the real compiler: what it knows of a value holds where they are written out."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, load, recover

from pdt_annotate.search.mend.none_helpers import RULE

MODULE = (
    HEAD
    + """def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else (d() if callable(d) else d)


class Net(nn.Module):
    def forward(self, x, mask: Optional[torch.Tensor] = None, scale: Optional[float] = None):
        {}
        return x
"""
)
STATEMENTS = st.sampled_from(
    [
        "if exists(mask):\n            x = x + mask",
        "if not exists(mask) or not exists(scale):\n            x = x + 1",
        "if exists(mask) and exists(scale):\n            x = x * scale + mask",
        "x = x + default(mask, lambda: torch.ones(2))",
        "x = x * default(scale, 2.0)",
        "x = x.neg() if exists(scale) else x",
    ]
)


@settings(max_examples=8, deadline=None)
@given(statements=st.lists(STATEMENTS, min_size=1, max_size=3))
def test_it_answers_as_before_and_scripts(tmp_path_factory, statements: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    source = MODULE.format("\n        ".join(statements))
    found = recover(folder, source, [RULE], torch.ones(2))
    assert found.scripts and found.answers_alike, (found.messages, found.source)
    before, after = (load(folder, each).Net() for each in (source, found.source))
    for mask in (None, torch.ones(2)):
        for scale in (None, 0.5):
            assert torch.equal(before(torch.ones(2), mask, scale), after(torch.ones(2), mask, scale))
