"""Functions chosen in locals, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.local_callables import RULE


@pytest.mark.parametrize(
    "body",
    [
        "act = F.relu if self.n == 2 else F.gelu\n        x = act(x)",
        "if self.n == 2:\n            act = F.relu\n        else:\n            act = F.gelu\n        x = act(x)",
        "if x.dim() == 2:\n            act = F.relu\n        elif x.dim() == 3:\n            act = F.gelu\n"
        "        else:\n            raise ValueError('what?')\n        y = x\n"
        "        for _ in range(2):\n            y = y + act(x)\n        return y",
        "if self.n == 2:\n            part = slice(1, None)\n        else:\n            part = slice(0, 1)\n"
        "        x = x[:, part]",
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
