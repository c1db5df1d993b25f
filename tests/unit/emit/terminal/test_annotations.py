"""Annotations as rows where they fit, by function where they do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import make_outcome

from pdt_annotate.emit.terminal.annotations import MOST, summary
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation


def lines(annotations: tuple[Annotation, ...], width: int, *, in_full: bool = False) -> list[str]:
    shown = summary(annotations, lambda slot: Place("m.py", 5), width, in_full=in_full)
    return [line.plain for line in shown]


def test_where_a_table_is_too_wide_each_function_has_its_lines(tmp_path: Path) -> None:
    annotations = make_outcome(tmp_path).annotations
    assert lines(annotations, 80)[0].split() == ["place", "function", "slot", "annotation", "evidence"]
    assert lines(annotations, 50) == [
        "m.py:5 Net.forward",
        f"  x: Tensor  Tensor{TIMES}3",
        f"  mask: Optional[Tensor]  Tensor{TIMES}2, None{TIMES}1 (guess)",
    ]


@pytest.mark.parametrize("width", [50, 120])
def test_a_long_list_is_cut_and_counted(width: int, tmp_path: Path) -> None:
    (first, _) = make_outcome(tmp_path).annotations
    many = tuple(replace(first, slot=replace(first.slot, name=f"x{number}")) for number in range(MOST + 3))
    assert lines(many, width)[-1] == "  … and 3 more annotations: -v shows all"
    assert len(lines(many, width)) == MOST + 2
    assert len(lines(many, width, in_full=True)) == MOST + 4
