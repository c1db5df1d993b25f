"""Sets, messages and `reversed`, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.plain_words import RULE


@pytest.mark.parametrize(
    "body",
    [
        "x = x + 1 if self.n in {1, 2} else x",
        "assert self.n == 2, f'no {self.n!r} {self.n:03d}'",
        "for i in reversed(range(self.n)):\n            x = x * 2 + i",
        "for t in reversed([x, x + 1]):\n            x = x * 2 + t",
        "if x.dtype in {torch.float32, torch.float64}:\n            x = x + 1",
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
