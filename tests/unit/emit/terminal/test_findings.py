"""Findings as lines that editors and problem matchers take apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pdt_annotate.emit.terminal.findings import MOST, finding_lines
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding

MATCHER = re.compile(r"^(.+?):(\d+):(\d+): (PDT\d{3}) (.*)$")
"""What docs write into an editor's tasks."""


@pytest.fixture(autouse=True)
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(*found: Finding, in_full: bool = False) -> list[str]:
    return [line.plain for line in finding_lines(found, in_full=in_full)]


@pytest.mark.parametrize(("line", "column", "named"), [(3, 7, ("3", "7")), (3, 0, ("3", "1")), (0, 0, ("1", "1"))])
def test_each_place_has_a_line_and_a_column(line: int, column: int, named: tuple[str, str], tmp_path: Path) -> None:
    first, advice = lines(Finding("PDT030", "only None: so `x`", Place(str(tmp_path / "sub" / "m.py"), line, column)))
    matched = MATCHER.match(first)
    assert matched and matched.groups() == ("sub/m.py", *named, "PDT030", "only None: so `x`")
    assert advice.startswith("  → ")


def test_a_finding_without_a_file_has_no_place() -> None:
    assert lines(Finding("PDT091", "time is up"))[0] == "PDT091 time is up"


def test_more_lines_of_a_message_stand_below() -> None:
    assert lines(Finding("PDT030", "one\ntwo", Place("m.py", 1, 2)))[:2] == ["m.py:1:2: PDT030 one", "    two"]


def test_what_may_change_an_answer_comes_first_and_what_asks_for_nothing_last() -> None:
    found = [Finding(code, "said") for code in ("PDT066", "PDT030", "PDT042", "PDT070", "PDT100", "PDT090")]
    codes = [line.split()[0] for line in lines(*found) if "→" not in line]
    assert codes == ["PDT090", "PDT042", "PDT100", "PDT030", "PDT070", "PDT066"]


def test_many_of_a_code_are_counted() -> None:
    many = [Finding("PDT030", "again", Place("m.py", line, 1)) for line in range(1, 10)]
    assert lines(*many)[MOST:-1] == [f"  … and {9 - MOST} more of PDT030: -v shows all"]
    assert len(lines(*many, in_full=True)) == 10
    assert len(lines(*many[:MOST])) == MOST + 1


def test_one_that_was_found_twice_is_told_once() -> None:
    once = Finding("PDT030", "again", Place("m.py", 1, 1))
    assert lines(once, once) == lines(once)
