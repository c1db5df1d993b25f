"""What a person reads of captures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import REFUSED, make_captures

from pdt_annotate.emit.terminal.captures import captures_lines
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.captures import Captures


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Captures, ...]:
    monkeypatch.chdir(tmp_path)
    return make_captures(tmp_path)


def text(found: tuple[Captures, ...], width: int = 120, *, in_full: bool = False) -> str:
    return "\n".join(line.plain for line in captures_lines(found, width, in_full=in_full))


def test_a_row_says_of_both_versions_what_came_of_a_way(found: tuple[Captures, ...]) -> None:
    rows = {line.split()[0]: line for line in text(found).splitlines()[3:8]}
    assert list(rows) == ["script", "trace", "fx", "compile-breaks", "lazy"]
    assert "\N{EN DASH} refused    ✓ same       2 of 2  1 of 1  1, whole   yes    human in the loop" in rows["script"]
    assert "✗ differs !  ✗ differs !" in rows["trace"]
    assert rows["trace"].endswith("98x      0.84x  3")
    assert "3, breaks" in rows["compile-breaks"] and "best effort" in rows["compile-breaks"]
    assert "\N{MIDDLE DOT} absent" in rows["lazy"]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits(found: tuple[Captures, ...], width: int) -> None:
    table = text(found, width).partition("figures:")[0]
    assert max(map(len, table.splitlines())) <= width
    assert all(line == line.rstrip() for line in text(found, width).splitlines())
    for said in ("out of the box", "2 of 2", "7230x", "12x"):
        assert said in table


def test_below_are_reasons_findings_and_what_works(found: tuple[Captures, ...]) -> None:
    below = text(found).partition("figures: as annotated\n")[2].splitlines()
    assert below[:8] == [
        "1x: the time of a call in eager mode",
        "!: see what was found below",
        "not captured:",
        "  script (as it is)  model.py:3:5",
        "    Expected a Tensor",
        "  fx  model.py:4",
        f"    {REFUSED}",
        "captured, but answers otherwise:",
    ]
    assert any(": PDT030 " in line for line in below)
    assert "answers as eager mode does: script, compile-breaks" in below


def test_in_full_each_version_has_a_table_and_operators_have_names(found: tuple[Captures, ...]) -> None:
    lines = text(found, in_full=True).splitlines()
    assert sum(line.startswith("way ") for line in lines) == 2
    assert '      File "model.py", line 3' in lines
    assert lines[lines.index("  script") + 1] == f"    aten::mul{TIMES}3, prim::If{TIMES}1"


def test_a_note_says_why_there_is_one_version(found: tuple[Captures, ...]) -> None:
    said = text((replace(found[0], note="nothing to annotate"),))
    assert "nothing to annotate" in said and "annotated  " not in said


def test_what_was_not_measured_has_no_column(found: tuple[Captures, ...]) -> None:
    plain = tuple(replace(each, relative=None, per_call=None) for each in found[0].captures)
    said = text((replace(found[0], captures=plain),))
    assert "per" not in said.split() and "1x" not in said
