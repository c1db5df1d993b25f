"""What a person reads of captures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from captured import make_captures

from pdt_annotate.emit.terminal.captures import captures_lines
from pdt_annotate.values.captures import Captures


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Captures, ...]:
    monkeypatch.chdir(tmp_path)
    return make_captures(tmp_path)


def text(found: tuple[Captures, ...], width: int = 120, *, in_full: bool = False) -> str:
    return "\n".join(line.plain for line in captures_lines(found, width, in_full=in_full))


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits(found: tuple[Captures, ...], width: int) -> None:
    table = text(found, width).partition("figures:")[0]
    assert max(map(len, table.splitlines())) <= width
    assert all(line == line.rstrip() for line in text(found, width).splitlines())
    for said in ("out of the box", "2 of 2", "7230x", "12x"):
        assert said in table


def test_what_was_not_measured_has_no_column(found: tuple[Captures, ...]) -> None:
    plain = tuple(replace(each, relative=None, per_call=None) for each in found[0].captures)
    said = text((replace(found[0], captures=plain),))
    assert "per" not in said.split() and "1x" not in said
