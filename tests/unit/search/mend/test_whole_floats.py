"""Whole numbers for floats."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.whole_floats import RULE

HEAD = "import torch\nimport torch.nn.functional as F\n\n\ndef f(x, n, args):\n    return "


def mended(folder: Path, call: str) -> str:
    return Mended(folder, HEAD + call).apply(RULE).removeprefix(HEAD)


@pytest.mark.parametrize(
    "call",
    [
        "F.normalize(x, 2.0, 1)",
        "F.normalize(x, dim=1)",
        "F.normalize(x, n)",
        "F.normalize(*args, 2)",
        "F.normalize(x, p=True)",
        "F.normalize(x, p=0x2)",
        "F.softmax(x, 1)",
        "normalize(x, 2)",
        "x.normalize(x, 2)",
        "torch.norm(x, p=2)",
    ],
)
def test_what_is_left_alone(tmp_path: Path, call: str) -> None:
    assert mended(tmp_path, call) == call


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("F.normalize(x, p=2, dim=1)", "F.normalize(x, p=2.0, dim=1)"),
        ("F.normalize(x, 2, 1)", "F.normalize(x, 2.0, 1)"),
        ("F.pad(x, (1, 0), value=-1)", "F.pad(x, (1, 0), value=-1.0)"),
        ("torch.nn.functional.dropout(F.elu(x, 1), 0)", "torch.nn.functional.dropout(F.elu(x, 1.0), 0.0)"),
    ],
)
def test_what_is_mended(tmp_path: Path, call: str, after: str) -> None:
    assert mended(tmp_path, call) == after
