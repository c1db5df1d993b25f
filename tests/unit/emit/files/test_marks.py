"""Every annotation that the real rewrite writes is found where it stands, and nothing else is."""

from __future__ import annotations

import pytest

from pdt_annotate.emit.files.comparison import Comparison
from pdt_annotate.emit.files.marks import Mark, find_marks
from pdt_annotate.rewrite import rewrite
from pdt_annotate.source.text import read_lines
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


def annotated(source: bytes, *slots: Slot) -> tuple[list[Annotation], Comparison, list[Mark]]:
    """What the rewrite wrote, and where it is found."""
    wanted = [Annotation(each, TENSOR if each.name in "xé" else INTS) for each in slots]
    rewritten = rewrite(source, wanted, file="m.py", module="m", classes={})
    lines = Comparison(read_lines(source), read_lines(rewritten.source))
    return list(rewritten.written), lines, find_marks(lines, rewritten.written)


def test_a_source_without_annotations_has_no_marks() -> None:
    lines = Comparison(SOURCE.split("\n"), SOURCE.split("\n"))
    assert find_marks(lines, [Annotation(each, TENSOR) for each in WANTED]) == []


@pytest.mark.parametrize("after", ["def f(x: int", "\0"])
def test_what_does_not_parse_has_no_marks(after: str) -> None:
    x = slot(SlotKind.PARAMETER, "x", "f", 1)
    assert find_marks(Comparison(["def f(x): pass"], after.split("\n")), [Annotation(x, TENSOR)]) == []


def test_a_slot_of_another_kind_of_definition_has_no_mark() -> None:
    wanted = [slot(kind, "x", "A", 1) for kind in (SlotKind.PARAMETER, SlotKind.RETURN)]
    assert find_marks(Comparison(["class A: pass"], ["class A: pass"]), [Annotation(s, TENSOR) for s in wanted]) == []


def test_each_is_found_where_it_stands() -> None:
    written, lines, marks = annotated(SOURCE.encode(), *WANTED)
    assert {mark.annotation for mark in marks} == set(written)
    assert len(written) == len(WANTED)
    assert [(mark.line, mark.start) for mark in marks] == sorted((mark.line, mark.start) for mark in marks)
    for mark in marks:
        text = lines.after[mark.line - 1]
        named = mark.annotation.slot.name
        assert text[: mark.start].rstrip().endswith("->" if named == "return" else f"{named}:")
        assert text[mark.start : mark.end] in ("Tensor", "torch.Tensor", "List[int]")


@pytest.mark.parametrize(
    ("source", "line", "expected"),
    [
        ("class A:\n    __annotations__ = {'b': int, 'x': str}\n", 2, "str"),
        ("class A:\n    y = 1\n    x: 'A' = 2\n    x = 3\n", 3, "'A'"),
    ],
)
def test_attributes_that_the_class_body_tells(source: str, line: int, expected: str) -> None:
    lines = Comparison(["class A:", "    pass"], source.splitlines())
    (mark,) = find_marks(lines, [Annotation(slot(SlotKind.ATTRIBUTE, "x", "A", 1), TENSOR)])
    assert mark.line == line
    assert lines.after[line - 1][mark.start : mark.end] == expected


def test_windows_line_ends_and_another_encoding() -> None:
    source = b"# coding: latin-1\r\n# caf\xe9\r\ndef f(x, y='\xe9'):\r\n    return x\r\n"
    wanted = [slot(SlotKind.PARAMETER, "x", "f", 3), slot(SlotKind.RETURN, "return", "f", 3)]
    written, lines, marks = annotated(source, *wanted)
    assert len(written) == 2
    texts = [lines.after[mark.line - 1][mark.start : mark.end] for mark in marks]
    assert texts[0].endswith("Tensor")
    assert texts[1] == "List[int]"
