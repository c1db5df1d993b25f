"""`map`, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.maps import RULE


@pytest.mark.parametrize(
    "body",
    [
        "q, k = map(lambda t: t * 2, (x, x))\n        x = q + k",
        "x = torch.stack(list(map(F.relu, [x, x])))",
        "a, b = map(lambda t, u: t + u, (x, x), (x, x))\n        x = a - b",
        "p = (x, x)\n        if x.dim() > 1:\n            p = map(lambda t: t[:1], p)\n"
        + "        a, b = map(lambda t: t + 1, p)\n        x = a",
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
