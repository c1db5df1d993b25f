"""`flatten_parameters()`."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.flatten_parameters import RULE

HEAD = "import torch\n\n\nclass Net:\n    def forward(self, x):\n"


@pytest.mark.parametrize(
    "line",
    [
        "x = self.lstm.flatten_parameters()",
        "flatten_parameters()",
        "self.lstm.flatten_parameters(x)",
        "self.lstm.flatten(x)",
        "if not torch.jit.is_scripting(): self.lstm.flatten_parameters()",
    ],
)
def test_what_is_left_alone(tmp_path: Path, line: str) -> None:
    source = f"{HEAD}        {line}\n"
    assert Mended(tmp_path, source).apply(RULE) == source


def test_it_runs_in_python_alone(tmp_path: Path) -> None:
    source = f"{HEAD}        self.lstm.flatten_parameters()  # one block\n"
    guard = "        if not torch.jit.is_scripting():\n            self.lstm.flatten_parameters()  # one block\n"
    assert Mended(tmp_path, source).apply(RULE) == HEAD + guard
