"""The compiler, on the headers that we say it reads or stops at."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from compiler_messages import load
from type_comments import NOT_READ, READ


def compile_source(folder: Path, source: str) -> str:
    """The signature of `f` when a file with this source is scripted."""
    return str(torch.jit.script(load(source, folder).f).schema)


@pytest.mark.parametrize("source", READ)
def test_reads(source: str, tmp_path: Path) -> None:
    assert compile_source(tmp_path, source) == "f(Tensor x, int n) -> Tensor"


@pytest.mark.parametrize("source", NOT_READ)
def test_stops_at(source: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"type comment|annotation prefix|Return type line|expected \("):
        compile_source(tmp_path, source)
