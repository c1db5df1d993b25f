"""`pdt_annotate.annotated_source`: of files; tests/child/observers/test_cells.py has it of what was typed."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import torch

from pdt_annotate import annotated_source
from pdt_annotate.errors import VerificationError

ANNOTATED = "def double(x: int):\r\n    return 2 * x\r\n"
MODEL = f"""\
import torch\r
\f\r
{ANNOTATED}\r
\r
@torch.jit.ignore\r
def told(x):\r
    return x\r
\r
\r
def times(x, n): # times\r
    return x * double(n)\r
\r
\r
def refused(x):\r
    return {{x}}\r
"""


def test_statements_that_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "shown_model.py"
    file.write_bytes(MODEL.encode())
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("shown_model")
    assert annotated_source(model.double, [(2,)]) == ""
    expected = "def times(x: torch.Tensor, n: int): # times\r\n    return x * double(n)"
    assert annotated_source(model.times, [(torch.ones(1), 2)]) == expected
    assert file.read_bytes() == MODEL.encode() and "return" not in model.times.__annotations__
    with pytest.raises(VerificationError, match="PDT004"):
        annotated_source(model.refused, [(2,)])
