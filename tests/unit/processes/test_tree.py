"""Which processes are left to end by themselves."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pdt_annotate.processes import tree

TRACKER = b"python\0-c\0from multiprocessing.resource_tracker import main;main(3)"


@pytest.mark.parametrize(
    ("commands", "state", "expected"),
    [
        ([TRACKER], "S", True),
        ([b"", b"", TRACKER], "R", True),  # its program is being loaded
        ([b"", b"python"], "R", False),
        ([b""], "Z", False),
        ([b"", b""], "R", False),  # and gone
    ],
)
def test_what_removes_shared_memory_is_known_by_its_command(
    commands: list[bytes], state: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter(commands)

    def read(file: str, mode: str) -> io.BytesIO:
        try:
            return io.BytesIO(next(found) if Path(file).name == "cmdline" else f"7 (odd) name) {state} 1".encode())
        except StopIteration:
            raise FileNotFoundError from None

    monkeypatch.setattr(tree, "open", read, raising=False)
    assert tree.tidies(7) is expected
