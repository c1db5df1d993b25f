"""Messages as lines that editors and problem matchers take apart, and lines of code with a caret."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import make_outcome

from pdt_annotate.emit.messages import message_of
from pdt_annotate.emit.terminal.messages import MOST, MOST_ANNOTATIONS, excerpt, message_lines, summary
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Finding

MATCHER = re.compile(r"^(.+?):(\d+):(\d+): (PDT\d{3}) (.*)$")
"""What docs write into an editor's tasks."""


@pytest.fixture(autouse=True)
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(*found: Finding, in_full: bool = False) -> list[str]:
    return [line.plain for line in message_lines(list(map(message_of, found)), in_full=in_full)]


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


def excerpted(line: str, column: int, width: int = 80) -> list[str]:
    return [each.plain for each in excerpt(line, Place("m.py", 7, column), width)]


def test_where_there_is_no_line_nothing_is_excerpted() -> None:
    assert excerpted("\n", 3) == []


@pytest.mark.parametrize(
    ("line", "column"), [("    a = b\n", 9), ("\ta = b\n", 6), ("a\t= b\r\n", 5), ("  ä, ö = b\n", 10)]
)
def test_the_caret_stands_below_the_column(line: str, column: int) -> None:
    code, caret = excerpted(line, column)
    assert code[caret.index("^")] == "b"


def test_below_wide_characters_too() -> None:
    assert excerpted('"日本" + b', 8) == ['     7 | "日本" + b', "       |          ^"]


def test_without_a_column_there_is_no_caret() -> None:
    assert excerpted("a = b", 0) == ["     7 | a = b"]


@pytest.mark.parametrize("column", [1, 60, 110, 205])
def test_of_a_long_line_the_part_with_the_caret_is_excerpted(column: int) -> None:
    line = "".join(f"{number:03}_" for number in range(60))
    code, caret = excerpted(line, min(column, len(line)), 60)
    assert len(code) <= 60 and len(caret) <= 60
    assert "…" in code
    assert code[caret.index("^")] == line[min(column, len(line)) - 1]


def summary_lines(annotations: tuple[Annotation, ...], width: int, *, in_full: bool = False) -> list[str]:
    shown = summary(annotations, lambda slot: Place("m.py", 5), width, in_full=in_full)
    return [line.plain for line in shown]


def test_where_a_table_is_too_wide_each_function_has_its_lines(tmp_path: Path) -> None:
    annotations = make_outcome(tmp_path).annotations
    assert summary_lines(annotations, 80)[0].split() == ["place", "function", "slot", "annotation", "evidence"]
    assert summary_lines(annotations, 50) == [
        "m.py:5 Net.forward",
        f"  x: Tensor  Tensor{TIMES}3",
        f"  mask: Optional[Tensor]  Tensor{TIMES}2, None{TIMES}1 (guess)",
    ]


@pytest.mark.parametrize("width", [50, 120])
def test_a_long_list_is_cut_and_counted(width: int, tmp_path: Path) -> None:
    (first, _) = make_outcome(tmp_path).annotations
    many = tuple(replace(first, slot=replace(first.slot, name=f"x{number}")) for number in range(MOST_ANNOTATIONS + 3))
    assert summary_lines(many, width)[-1] == "  … and 3 more annotations: -v shows all"
    assert len(summary_lines(many, width)) == MOST_ANNOTATIONS + 2
    assert len(summary_lines(many, width, in_full=True)) == MOST_ANNOTATIONS + 4
