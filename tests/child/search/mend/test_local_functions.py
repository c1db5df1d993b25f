"""Functions in locals, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.local_functions import RULE


@pytest.mark.parametrize(
    "body",
    [
        "f = lambda t: t * 2 + self.n\n        x = f(x) + f(x)",
        "def f(t):\n            return t + 1\n        x = f(x.neg())",
        "f = lambda: x + 1\n        x = f()",
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
