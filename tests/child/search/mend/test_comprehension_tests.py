"""Comprehensions with tests, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.comprehension_tests import RULE


@pytest.mark.parametrize(
    "body",
    [
        "x = torch.cat([t for t in x.chunk(4) if t.numel() > 1])",
        "xs = [t + 1 for t in x.chunk(4) if t.numel() > 1]\n        x = xs[0]",
        "d = {str(t.numel()): t for t in x.chunk(4) if t.numel() > 1}\n        x = d['2']",
    ],
)
def test_it_answers_as_before_and_scripts(tmp_path: Path, body: str) -> None:
    source = (
        HEAD
        + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 2\n\n"
        + f"    def forward(self, x):\n        {body}\n        return x\n"
    )
    found = recover(tmp_path, source, [RULE], torch.randn(4, 2))
    assert found.messages and found.scripts and found.answers_alike, (found.messages, found.source)
