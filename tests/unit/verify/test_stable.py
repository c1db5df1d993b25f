"""The judge of second runs."""

from __future__ import annotations

import pytest

from pdt_annotate.values.outcome import TEXT_JUDGES, FileChange
from pdt_annotate.verify import parses, same_program, stable

SAME, OTHER = FileChange("same.py", b"x = 1\n", b"x = 1\n"), FileChange("other.py", b"x = 1\n", b"x = 1\r\n")


@pytest.mark.parametrize("again", [(), (SAME,), (SAME, SAME)])
def test_files_that_stay_are_stable(again: tuple[FileChange, ...]) -> None:
    assert stable.judge(again).ok


@pytest.mark.parametrize("again", [(OTHER,), (SAME, OTHER, SAME)])
def test_one_byte_in_one_file_is_named(again: tuple[FileChange, ...]) -> None:
    verdict = stable.judge(again)
    assert verdict.failure is not None
    assert (verdict.ok, verdict.judge, verdict.failure.file) == (False, "stable", "other.py")


def test_it_is_known_which_judges_need_no_compiler() -> None:
    assert {parses.JUDGE, same_program.JUDGE, stable.JUDGE} == TEXT_JUDGES
