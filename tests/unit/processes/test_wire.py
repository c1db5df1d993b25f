"""Tasks, as they run where they are asked for."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path

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


def test_a_second_process_finds_the_bytecode_of_a_module_that_had_none(tmp_path: Path) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "seldom.py").write_text("x = 1\n")
    kept = tmp_path / "kept"
    program = f"""
import sys
sys.path[:0] = [{os.getcwd()!r}, {str(tmp_path / "path")!r}]
from pdt_annotate.processes.wire import Task
Task("importlib:import_module", ("seldom",), {{}}, bytecode={str(kept)!r})()
print(len([*__import__("pathlib").Path({str(kept)!r}).rglob("seldom*.pyc")]), sys.modules["seldom"].x)
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "1 1\n"
    (compiled,) = kept.rglob("seldom*.pyc")
    code = marshal.loads(compiled.read_bytes()[16:])
    compiled.write_bytes(compiled.read_bytes()[:16] + marshal.dumps(code.replace(co_consts=(2, None))))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1 2\n"  # read, and not compiled again
    assert [each.name for each in (tmp_path / "path").iterdir()] == ["seldom.py"]
