"""Two captured programs side by side, as a person reads them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import make_captures

from pdt_annotate.emit.terminal.beside import beside_lines
from pdt_annotate.values.captures import Captures


@pytest.fixture
def annotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Captures:
    monkeypatch.chdir(tmp_path)
    return make_captures(tmp_path)[1]


def lines(captures: Captures, width: int) -> list[str]:
    return [line.plain for line in beside_lines(captures, width)]


def test_nothing_is_shown_unless_both_are_there(annotated: Captures) -> None:
    assert lines(replace(annotated, beside=None), 120) == []


def test_what_the_traced_one_has_lost_is_counted_and_has_its_line(annotated: Captures) -> None:
    assert lines(annotated, 120)[:9] == [
        "script beside trace, as annotated:",
        "                    script  trace",
        "  operators         3       3",
        "  tensor operators  2       3",
        "  branches          1       0",
        "more in script:",
        "  model.py:4  prim::If",
        "more in trace:",
        "  no line  aten::mul\N{MULTIPLICATION SIGN}2",
    ]


def test_code_stands_side_by_side_where_it_fits(annotated: Captures) -> None:
    code = lines(annotated, 120)[9:]
    assert [line.index("|") for line in code] == [59] * 4
    assert [line.partition("|")[0].rstrip() for line in code[1:]] == ["def forward(self):", "  if c:", "    pass"]
    assert code[1].endswith("| torch writes no code of it")


def test_code_stands_one_below_the_other_where_it_does_not(annotated: Captures) -> None:
    assert lines(annotated, 80)[9:] == [
        "code of script:",
        "  def forward(self):",
        "    if c:",
        "      pass",
        "code of trace:",
        "  torch writes no code of it",
    ]


@pytest.mark.parametrize("width", [80, 103, 120])
def test_long_lines_of_code_stay_in_their_column(annotated: Captures, width: int) -> None:
    assert annotated.beside
    left = replace(annotated.beside.left, code=f"  x = f({', '.join(f'argument{n}' for n in range(30))})")
    shown = lines(replace(annotated, beside=replace(annotated.beside, left=left)), width)
    code = shown[9:] if width > 80 else []
    assert all(len(line) <= width and line == line.rstrip() for line in code)
    assert "argument29" in "".join(shown)
