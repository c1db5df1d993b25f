"""Parameters behind a star, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.keyword_only import RULE


@pytest.mark.parametrize(
    "body",
    [
        "x = self.g(x, n=3) + self.g(x)",
    ],
)
def test_it_answers_as_before_and_scripts(tmp_path: Path, body: str) -> None:
    source = (
        HEAD
        + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 2\n"
        + "\n    def g(self, x, *, n: int = 2):\n        return x * n\n\n"
        + f"    def forward(self, x):\n        {body}\n        return x\n"
    )
    found = recover(tmp_path, source, [RULE], torch.randn(4, 2))
    assert found.messages and found.scripts and found.answers_alike, (found.messages, found.source)
