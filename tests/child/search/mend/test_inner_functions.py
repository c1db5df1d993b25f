"""Functions inside functions, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.inner_functions import RULE

SOURCE = (
    HEAD
    + """class Net(nn.Module):
    def forward(self, x):
        def shifted(t):
            u = t + x
            return u * 2

        return shifted(x) - shifted(x * 3)
"""
)


def test_it_answers_as_before_and_scripts(tmp_path: Path) -> None:
    found = recover(tmp_path, SOURCE, [RULE], torch.randn(4, 2))
    assert found.messages and found.scripts and found.answers_alike, (found.messages, found.source)
