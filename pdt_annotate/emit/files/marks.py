"""Where each annotation stands in the annotated source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.files.comparison import Comparison
from pdt_annotate.emit.machine.definitions import Definition, find_definitions, line_of
from pdt_annotate.values.slots import Annotation, Slot, SlotKind

TABLE = "__annotations__"


@dataclass(frozen=True)
class Mark:
    """The place of an annotation: a line, from 1, and the columns of its type there, in characters."""

    annotation: Annotation
    line: int
    start: int
    end: int


def find_marks(lines: Comparison, annotations: Iterable[Annotation]) -> list[Mark]:
    """The annotations of one file that the new lines hold, in the order of their places.

    A definition is known by its first line in the old ones; a rewrite moves definitions, never their order.
    """
    try:
        old, new = (list(find_definitions(ast.parse("\n".join(each)))) for each in (lines.before, lines.after))
    except (SyntaxError, ValueError):
        return []
    follow = {line_of(one): other for one, other in zip(old, new, strict=False)}
    marks = []
    for annotation in annotations:
        slot = annotation.slot
        definition = follow.get(slot.owner.line)
        written = _WRITTEN[slot.kind](definition, slot, lines.follow(slot.line)) if definition else None
        if written is not None:
            marks.append(_mark(annotation, written, lines.after))
    return sorted(marks, key=lambda mark: (mark.line, mark.start))


def _mark(annotation: Annotation, written: ast.expr, lines: Sequence[str]) -> Mark:
    """Python counts columns in bytes of UTF-8."""
    line = lines[written.lineno - 1]
    last = written.end_col_offset if written.end_lineno == written.lineno else None
    start, end = (len(line.encode()[:column].decode()) for column in (written.col_offset, last))
    return Mark(annotation, written.lineno, start, end)


def _of_parameter(definition: Definition, slot: Slot, line: int) -> ast.expr | None:
    if isinstance(definition, ast.ClassDef):
        return None
    of = definition.args
    every = (*of.posonlyargs, *of.args, *of.kwonlyargs, *filter(None, (of.vararg, of.kwarg)))
    return next((each.annotation for each in every if each.arg == slot.name.lstrip("*")), None)


def _of_return(definition: Definition, slot: Slot, line: int) -> ast.expr | None:
    return None if isinstance(definition, ast.ClassDef) else definition.returns


def _of_local(definition: Definition, slot: Slot, line: int) -> ast.expr | None:
    """Of several annotated assignments to a name the one that is nearest to the line."""
    found = [
        each
        for each in ast.walk(definition)
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.target) == slot.name
    ]
    nearest = min(found, key=lambda each: abs(each.lineno - line), default=None)
    return nearest.annotation if nearest else None


def _of_attribute(definition: Definition, slot: Slot, line: int) -> ast.expr | None:
    """In the class body, or in its table `__annotations__ = {"name": T}`."""
    for each in definition.body:
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.target) == slot.name:
            return each.annotation
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Dict) and ast.unparse(each.targets[0]) == TABLE:
            keys = [key.value if isinstance(key, ast.Constant) else None for key in each.value.keys]
            if slot.name in keys:
                return each.value.values[keys.index(slot.name)]
    return None


_WRITTEN: Mapping[SlotKind, Callable[[Definition, Slot, int], ast.expr | None]] = {
    SlotKind.PARAMETER: _of_parameter,
    SlotKind.RETURN: _of_return,
    SlotKind.LOCAL: _of_local,
    SlotKind.ATTRIBUTE: _of_attribute,
}
