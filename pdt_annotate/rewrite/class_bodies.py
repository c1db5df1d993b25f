"""Class bodies: the place of new annotations, and their text.

TorchScript needs live objects for the attributes of a module. Under `from __future__ import annotations` every
annotation is a string, so the class gets an `__annotations__` table, which repeats the annotations that it has.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import takewhile

import libcst as cst

from pdt_annotate.rewrite.headers import Header
from pdt_annotate.rewrite.source_file import STEP, Line, LinePlace, Piece, SourceFile, insert_pieces, line_place
from pdt_annotate.source.definitions import Class, Scope, opening_line
from pdt_annotate.source.names import ModuleNames
from pdt_annotate.source.scopes import bindings
from pdt_annotate.values.edits import Edit

_CLOSING = re.compile(rb"(?:(?:[\s\\]|#[^\r\n]*)*\))*")


class ClassBody:
    """A class, its annotations and its table, and the place of new annotations in its body."""

    def __init__(self, file: SourceFile, known: Class, header: Header) -> None:
        self.file, self.known, self.header = file, known, header
        self.space = file.spaces[known.owner.line]
        self.start = file.text.start(known.node)
        nodes = [each.node for each in self.space.statements]
        names = (each for each in nodes if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name))
        self.annotated: dict[str, ast.AnnAssign] = {each.target.id: each for each in names}  # type: ignore[union-attr]
        assigns = (each for each in nodes if isinstance(each, ast.Assign))
        assigned = (each for each in assigns if "__annotations__" in dict(bindings(each)))
        self.table = next((each.value for each in assigned if isinstance(each.value, ast.Dict)), None)

    def has(self, name: str) -> bool:
        keys = self.table.keys if self.table else ()
        return name in self.annotated or name in [str(each.value) for each in keys if isinstance(each, ast.Constant)]

    def shadows(self, offset: int) -> frozenset[str]:
        """The names that the body and the functions around it hide at the offset."""
        before = (each.node for each in self.space.statements if self.file.text.end(each.node) <= offset)
        outer = self.space.around.hidden if self.space.around else frozenset[str]()
        return outer | {name for node in before for name, _ in bindings(node)}

    @property
    def offset(self) -> int:
        """The offset of new annotations: of entries of the table, otherwise of lines."""
        text = self.file.text
        if self.table is None:
            return self.place.offset
        if not self.table.values:
            return text.start(self.table) + len("{")
        end = text.end(self.table.values[-1])
        return end + len(_CLOSING.match(text.body, end).group())  # type: ignore[union-attr]

    @cached_property
    def place(self) -> LinePlace:
        """Whole lines in an indented body: a blank line after the docstring, one before a method."""
        text, node, header = self.file.text, self.known.node, self.header
        if not isinstance(header.node.body, cst.IndentedBlock):
            return LinePlace(text.end(node.body[-1]))
        lines = self.file.lines(node.body)
        docstring = lines[0] if ast.get_docstring(node, clean=False) is not None else None
        leading = lines[1:] if docstring else lines
        # Under the future import the assignment of `__annotations__` must come after all annotations to hold them all.
        future = self.file.module.future_annotations
        known = filter(_is_annotated, lines) if future else takewhile(_is_annotated, leading)
        anchor = max(known, key=lines.index, default=docstring)
        offset = self.file.end_of_line(text.end(anchor[-1]) if anchor else header.start + len(header.code().encode()))
        following = (each for each in node.body if text.line_start(opening_line(text, each)) >= offset)
        blanks = isinstance(next(following, None), Scope) and not text.is_blank(offset)
        indent = text.indent(text.start(node.body[0]))
        return line_place(text, offset, indent, blank_before=anchor is docstring is not None, blanks_after=blanks)

    def insert(self, members: Mapping[str, Piece], names: ModuleNames, limit: int) -> Iterator[Edit]:
        """The edits that annotate the names. No line of a new table is longer than the limit."""
        owner, place = self.known.owner, self.place
        if not self.table:
            if not self.file.module.future_annotations:
                return place.insert(([(f"{name}: ", None), piece] for name, piece in members.items()), owner)
            members = {**self._repeated(names), **members}
        entries: list[list[Piece]] = [[(f'"{name}": ', None), piece] for name, piece in members.items()]
        joined = [piece for entry in entries for piece in ((", ", None), *entry)]
        if self.table:
            return insert_pieces(self.offset, joined if self.table.values else joined[1:], owner)
        head: Piece = ("__annotations__ = {", None)
        table = [head, *joined[1:], ("}", None)]
        if place.newline and len(place.indent) + sum(len(text) for text, _ in table) > limit:
            break_ = place.newline + place.indent
            rows = [piece for entry in entries for piece in ((break_ + STEP, None), *entry, (",", None))]
            table = [head, *rows, (break_ + "}", None)]
        return place.insert([table], owner)

    def _repeated(self, names: ModuleNames) -> dict[str, Piece]:
        """The class's own annotations: live if they can be evaluated before the table, else as strings."""
        hidden, text, found = self.shadows(self.place.offset), self.file.text, dict[str, Piece]()
        for name, node in self.annotated.items():
            written = text.body[text.start(node.annotation) : text.end(node.annotation)].decode()
            mentioned = (part.id for part in ast.walk(node.annotation) if isinstance(part, ast.Name))
            live = all(each in hidden or names.evaluates(each, self.start) for each in mentioned)
            found[name] = (written if live else json.dumps(written), None)
        return found


def _is_annotated(line: Line) -> bool:
    return isinstance(line[0], ast.AnnAssign)
