"""Every annotation that the real rewrite writes is found where it stands, and nothing else is."""

from __future__ import annotations

import pytest
from changes import annotate

from pdt_annotate.emit.files.marks import Mark, find_marks
from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr

INTS = TypeExpr("list", (TypeExpr("int"),))

SOURCE = '''\
import functools

from torch import nn


def first(x, y=1, *, z): return x


class Net(nn.Module):
    """Naïve."""

    def __init__(self, n):
        super().__init__()
        self.seen = []
        self.n = n

    @functools.cache
    @functools.wraps(first)
    def forward(
        self,
        é, x,
    ):
        acc = []
        acc = acc + [1]
        def inner(q):
            acc = []
            return q
        return inner(x)


if True:
    def first(x):
        return x
'''


def slot(kind: SlotKind, name: str, owner: str, first_line: int, line: int = 0) -> Slot:
    return Slot(Owner("m.py", owner, first_line), kind, name, line)


WANTED = (
    slot(SlotKind.PARAMETER, "x", "first", 6),
    slot(SlotKind.PARAMETER, "y", "first", 6),
    slot(SlotKind.PARAMETER, "z", "first", 6),
    slot(SlotKind.RETURN, "return", "first", 6),
    slot(SlotKind.ATTRIBUTE, "seen", "Net", 9),
    slot(SlotKind.LOCAL, "self.n", "Net.__init__", 12, 15),
    slot(SlotKind.PARAMETER, "é", "Net.forward", 17),
    slot(SlotKind.PARAMETER, "x", "Net.forward", 17),
    slot(SlotKind.LOCAL, "acc", "Net.forward", 17, 23),
    slot(SlotKind.LOCAL, "acc", "Net.forward.<locals>.inner", 25, 26),
    slot(SlotKind.PARAMETER, "x", "first", 32),
)


def annotated(source: bytes, *slots: Slot) -> tuple[list[str], list[Mark]]:
    """The lines that the rewrite makes, and the marks in them."""
    wanted = [Annotation(each, TENSOR if each.name in "xé" else INTS) for each in slots]
    change = annotate("m.py", source, wanted)
    return decode(change.after).lines, find_marks(change, wanted)


def test_a_source_without_annotations_has_no_marks() -> None:
    change = FileChange("m.py", SOURCE.encode(), SOURCE.encode())
    assert find_marks(change, [Annotation(each, TENSOR) for each in WANTED]) == []


def test_what_is_not_written_has_no_mark() -> None:
    wanted = [slot(kind, "x", "A", 1) for kind in (SlotKind.PARAMETER, SlotKind.RETURN)]
    there = slot(SlotKind.PARAMETER, "x", "f", 2)
    assert annotated(b"class A: pass\ndef f(x: int): pass\n", *wanted, there)[1] == []


def test_each_is_found_where_it_stands() -> None:
    lines, marks = annotated(SOURCE.encode(), *WANTED)
    assert {mark.annotation.slot for mark in marks} == set(WANTED)
    assert [(mark.line, mark.start) for mark in marks] == sorted((mark.line, mark.start) for mark in marks)
    for mark in marks:
        text = lines[mark.line - 1]
        named = mark.annotation.slot.name
        assert text[: mark.start].rstrip().endswith("->" if named == "return" else f"{named}:")
        assert text[mark.start : mark.end] in ("Tensor", "torch.Tensor", "List[int]")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    pass\n", 5),
        ("    y: int = 1\n", 6),
        ("    __annotations__ = {'b': int}\n", 5),
        ("    y: Optional[Dict[str, List[Tuple[int, int, int]]]] = None\n", 8),
    ],
)
def test_attributes_are_marked_in_lines_and_tables(body: str, line: int) -> None:
    source = f"from __future__ import annotations\nfrom typing import *\nfrom torch import Tensor\nclass A:\n{body}"
    wanted = [slot(SlotKind.ATTRIBUTE, name, "A", 4) for name in ("x", "size")]
    lines, marks = annotated(source.encode(), *wanted)
    assert [(mark.annotation.slot.name, lines[mark.line - 1][mark.start : mark.end]) for mark in marks] == [
        ("x", "Tensor"),
        ("size", "List[int]"),
    ]
    assert marks[0].line == line


def test_what_a_table_repeats_has_no_mark() -> None:
    source = b"from __future__ import annotations\nclass A:\n    x: int\n"
    lines, marks = annotated(source, slot(SlotKind.ATTRIBUTE, "n", "A", 2))
    assert "x" in lines[marks[0].line - 1]
    assert [mark.annotation.slot.name for mark in marks] == ["n"]


def test_windows_line_ends_and_another_encoding() -> None:
    source = b"# coding: latin-1\r\n# caf\xe9\r\ndef f(x, y='\xe9'):\r\n    return x\r\n"
    wanted = [slot(SlotKind.PARAMETER, "x", "f", 3), slot(SlotKind.RETURN, "return", "f", 3)]
    lines, marks = annotated(source, *wanted)
    texts = [lines[mark.line - 1][mark.start : mark.end] for mark in marks]
    assert texts[0].endswith("Tensor")
    assert texts[1] == "List[int]"
