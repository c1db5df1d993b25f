"""A source, the annotations to write into it, and the result of the rewrite."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.module import read_module
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.text import decode
from pdt_annotate.values.slots import Annotation, ClassInfo, ClassKind, Owner, Slot, SlotKind
from pdt_annotate.values.style import PLAIN
from pdt_annotate.values.types import TypeExpr

FILE = "/project/pkg/mod.py"
MODULE = "pkg.mod"
INT = TypeExpr("int")
LIST = TypeExpr("list", (INT,))
OPTIONAL = TypeExpr("Optional", (INT,))


def owners(source: bytes, file: str) -> list[Owner]:
    """All functions and classes of a file in source order. A rewrite moves their lines, but keeps their order."""
    found = read_module(file, source)
    definitions: list[Function | Class] = [*found.functions, *found.classes]
    return sorted((each.owner for each in definitions), key=lambda each: each.line)


def owner(source: bytes, name: str, index: int = 0) -> Owner:
    """The function or class with this qualified name; if there are several, the one with this index."""
    return [each for each in owners(source, FILE) if each.qualname == name][index]


class Case:
    """A source and the annotations to write into it, by qualified name. Each method adds one.

    A rewrite only adds text. In the source, `«` and `»` mark the text that the rewrite must add.
    """

    def __init__(self, source: str | bytes) -> None:
        if isinstance(source, bytes):
            self.source = self.expected = source
        else:
            self.source = re.sub("«.*?»", "", textwrap.dedent(source), flags=re.DOTALL).encode()
            self.expected = re.sub("[«»]", "", textwrap.dedent(source)).encode()
        self.annotations: list[Annotation] = []

    def _add(self, name: str, kind: SlotKind, slot: str, type: TypeExpr, *, line: int = 0, **more: int) -> Case:
        place = Slot(owner(self.source, name, more.pop("index", 0)), kind, slot, line)
        self.annotations.append(Annotation(place, type, final=bool(more.get("final"))))
        return self

    def param(self, name: str, slot: str, type: TypeExpr = INT, index: int = 0) -> Case:
        return self._add(name, SlotKind.PARAMETER, slot, type, index=index)

    def returns(self, name: str, type: TypeExpr = INT, index: int = 0) -> Case:
        return self._add(name, SlotKind.RETURN, "return", type, index=index)

    def local(self, name: str, slot: str, line: int, type: TypeExpr = INT) -> Case:
        return self._add(name, SlotKind.LOCAL, slot, type, line=line)

    def attribute(self, name: str, slot: str, type: TypeExpr = INT, final: bool = False) -> Case:
        return self._add(name, SlotKind.ATTRIBUTE, slot, type, final=final)

    def run(self, **options: Any) -> Rewritten:
        known: dict[str, Any] = {"file": FILE, "module": MODULE, "classes": {}, "style": PLAIN, **options}
        return rewrite(self.source, self.annotations, **known)

    def becomes(self, expected: str | bytes = b"", **options: Any) -> Rewritten:
        """Assert that the rewrite adds the marked text, if there is any, and that a second run changes nothing."""
        result = self.run(**options)
        wanted = (expected if isinstance(expected, bytes) else textwrap.dedent(expected).encode()) or self.expected
        assert result.source.decode("latin-1") == wanted.decode("latin-1")
        check_edits(self.source, result)
        again = Case(result.source)
        again.annotations = [_moved(each, self.source, result.source) for each in result.written]
        if options.get("imports", True) and not any(each.slot.line for each in again.annotations):
            second = again.run(**options)
            assert second.source == result.source
            assert (second.written, second.imports) == ((), ())
        return result

    def stays(self, **options: Any) -> Rewritten:
        """Assert that the rewrite changes nothing and reports nothing."""
        result = self.becomes(self.source, **options)
        assert result == Rewritten(self.source)
        return result

    def refuses(self, code: str, **options: Any) -> str:
        """Assert that nothing is written and that one finding gives the reason. Return its message."""
        result = self.run(**options)
        assert (result.source, result.written, result.imports) == (self.source, (), ())
        assert [finding.code for finding in result.refused] == [code]
        return result.refused[0].message


def check_edits(source: bytes, result: Rewritten) -> None:
    """Assert that the edits produce the result, name the written slots, and map each line to its new place."""
    assert decode(source).edit(result.edits) == result.source
    assert list(result.edits) == sorted(result.edits, key=lambda each: each.offset)
    slots = [each.slot for each in result.edits if each.slot]
    assert sorted(slots, key=repr) == sorted((each.slot for each in result.written), key=repr)
    assert all(each.owner == each.slot.owner for each in result.edits if each.slot)
    moves = Moves(source, result.edits)
    before, after = ([each.line for each in owners(text, FILE)] for text in (source, result.source))
    assert [moves.follow(line) for line in before] == after
    assert [moves.trace(line) for line in after] == before


def _moved(annotation: Annotation, before: bytes, after: bytes) -> Annotation:
    places = dict(zip(owners(before, FILE), owners(after, FILE), strict=True))
    slot = annotation.slot
    return Annotation(Slot(places[slot.owner], slot.kind, slot.name), annotation.type, final=annotation.final)


def info(dotted: str, qualname: str = "", file: str | None = None, **more: Any) -> dict[str, ClassInfo]:
    """The facts about one class that `rewrite` needs; by default, a class at the top level of its module."""
    qualname = qualname or dotted.rpartition(".")[2]
    module = dotted.removesuffix(f".{qualname}")
    return {dotted: ClassInfo(dotted, module, qualname, ClassKind.PLAIN, file, **more)}
