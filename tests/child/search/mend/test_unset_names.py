"""Names that one branch sets, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.unset_names import RULE

SOURCE = (
    HEAD
    + """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 4

    def forward(self, x):
        framed = False
        if x.size(-1) > self.steps:
            width = self.steps // 2
            y = torch.relu(x)
            framed = True
        if framed:
            x = x.view(-1, width) + y.view(-1, width)
        return x
"""
)


def test_it_answers_as_before_and_scripts(tmp_path: Path) -> None:
    found = recover(tmp_path, SOURCE, [RULE], torch.randn(2, 6))
    assert found.messages and found.scripts and found.answers_alike, (found.messages, found.source)
