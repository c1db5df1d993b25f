"""Sessions share bytecode: a file of the project is compiled once, and again after it has changed."""

import importlib
import os
import sys
from pathlib import Path

import pytest

from pdt_annotate.processes.bytecode import SharedBytecode, share_bytecode
from pdt_annotate.processes.fork import in_fork

pytestmark = pytest.mark.forks

CODE = compile("x = 1", "one.py", "exec")


def test_forks_read_what_others_wrote_and_nothing_that_is_cut_off() -> None:
    shared = SharedBytecode()
    for key in (b"1", b"2"):
        in_fork(lambda key: shared.add(key * 32, CODE), key)
    assert [shared.find(key * 32) for key in (b"1", b"2", b"3")] == [CODE, CODE, None]
    shared.add(b"3" * 32, CODE)
    os.ftruncate(shared.file.fileno(), os.fstat(shared.file.fileno()).st_size - 1)
    assert shared.find(b"3" * 32) is None
    shared.add(b"4" * 32, CODE)
    assert shared.find(b"4" * 32) is None and shared.find(b"1" * 32) == CODE


def test_a_file_is_compiled_once_for_all_forks(tmp_path: Path) -> None:
    (tmp_path / "shared_by_forks.py").write_text("x = 1\n")

    def both(_: None) -> list[tuple[int, int]]:
        share_bytecode()
        sys.path.insert(0, str(tmp_path))
        sys.dont_write_bytecode = True
        found = [in_fork(_imported, None), in_fork(_imported, None)]
        (tmp_path / "shared_by_forks.py").write_text("x = 2\n")
        return [each for each in (*found, in_fork(_imported, None)) if each]

    assert in_fork(both, None) == [(1, 1), (1, 0), (2, 1)]


def _imported(_: None) -> tuple[int, int]:
    """The value in the module, and how often its source was compiled."""
    compiled: list[object] = []
    sys.addaudithook(lambda event, args: compiled.append(args) if event == "compile" and args[0] else None)
    return importlib.import_module("shared_by_forks").x, len(compiled)
