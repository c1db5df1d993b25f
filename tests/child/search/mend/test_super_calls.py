"""Methods of `super()`, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.super_calls import RULE


@pytest.mark.parametrize(
    "body",
    [
        "x = super().forward(x.float())",
    ],
)
def test_it_answers_as_before_and_scripts(tmp_path: Path, body: str) -> None:
    source = (
        HEAD
        + "class Base(nn.Linear):\n    def forward(self, x):\n        return super().forward(x) + 1\n\n\n"
        + "class Net(Base):\n    def __init__(self):\n        super().__init__(2, 2)\n\n"
        + f"    def forward(self, x):\n        {body}\n        return x\n"
    )
    found = recover(tmp_path, source, [RULE], torch.randn(4, 2))
    assert found.messages and found.scripts and found.answers_alike, (found.messages, found.source)
