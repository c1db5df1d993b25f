"""Tasks, as they run where they are asked for."""

from __future__ import annotations

import sys

import pytest

from pdt_annotate.processes.wire import Task


@pytest.mark.parametrize(("prefix", "is_left_out"), [(None, True), ("tree", False)])
def test_what_a_task_imports_gets_no_bytecode_beside_it(
    monkeypatch: pytest.MonkeyPatch, prefix: str | None, is_left_out: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", prefix)
    assert Task("operator:add", (2,), {})(1) == 3
    assert sys.dont_write_bytecode is is_left_out
