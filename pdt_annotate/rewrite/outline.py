"""A source file as plain data for a rewrite: its functions, classes, names and the places for text.

Every offset counts bytes of the UTF-8 body (`Text.body`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.source import definitions
from pdt_annotate.source.module import Module
from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Owner, Slot

Piece = tuple[str, Slot | None]  # a part of a line; with the slot that it annotates if it is a type

Line = Sequence[Piece]


@dataclass(frozen=True)
class LinePlace:
    """The place of new lines.

    Each line is indented and ends with `newline`; if `open_ended`, at the end of a file without a last newline, each
    begins with it instead. Without a newline the place is after the colon of a one-line body. `blank_before` and
    `blanks_after` are the empty lines around the new ones.
    """

    offset: int
    newline: str = ""
    indent: str = ""
    open_ended: bool = False
    blank_before: bool = False
    blanks_after: int = 0

    def insert(self, lines: Iterable[Line], owner: Owner | None = None) -> Iterator[Edit]:
        before = self.newline if self.open_ended else ""
        begin = f"{before}{self.indent}" if self.newline else "; "
        end = "" if self.open_ended else self.newline
        pieces: list[Piece] = [(self.newline if self.blank_before else "", None)]
        for line in lines:
            pieces += [(begin, None), *line, (end, None)]
        return insert_pieces(self.offset, [*pieces, (end * self.blanks_after, None)], owner)


def insert_pieces(offset: int, pieces: Iterable[Piece], owner: Owner | None) -> Iterator[Edit]:
    return (Edit(offset, text, owner, slot) for text, slot in pieces if text)


@dataclass(frozen=True)
class ImportedSpan:
    """One name in a from-import, and its span with the name that it is bound to."""

    name: str
    start: int
    end: int
    is_alias: bool = False


@dataclass(frozen=True)
class FromImport:
    """A from-import that more names can be added to: its module (leading dots as written) and its names.

    `separator` is the text between two names. `row`, the place of one more line, is set if each name is alone on a
    line with a comma after it. `line` is the line of an import alone on it, without parentheses, else 0.
    """

    module: str
    names: tuple[ImportedSpan, ...]
    separator: str
    row: LinePlace | None
    line: int = 0


@dataclass(frozen=True)
class ImportLine:
    """A line that begins with an import: its module (leading dots as written), and the places around it.

    `name` is the first that it imports from the module, "" if it imports the module itself. `above` is before the
    comments over the line, `front` after them. `block` numbers the lines with no other statement between them, and
    `is_apart` says that a blank line is before it.
    """

    module: str
    name: str
    above: LinePlace
    front: LinePlace
    behind: LinePlace
    block: int
    is_apart: bool


@dataclass(frozen=True)
class ParameterPlace:
    """A parameter of a `def`: the place of its annotation, and the place where PEP 8 then wants spaces around `=`."""

    name: str
    end: int
    annotated: bool
    starred: bool = False
    spaces: tuple[int, ...] = ()


@dataclass(frozen=True)
class Assignment:
    """A plain assignment to one name: its line, the place of its annotation, and whether it has a `# type:`."""

    name: str
    line: int
    end: int
    annotated: bool
    commented: bool


@dataclass(frozen=True)
class FunctionPlace:
    """A `def`. `shadows` are the names that the scopes around it hide from its annotations.

    `rebound` are the names that its body declares `global` or `nonlocal`, which Python does not let one annotate.
    """

    known: definitions.Function
    offset: int
    parameters: tuple[ParameterPlace, ...]
    close: int
    assignments: tuple[Assignment, ...]
    rebound: frozenset[str]
    shadows: frozenset[str]


@dataclass(frozen=True)
class Member:
    """An annotated name of a class body: the annotation as written and the names that it mentions."""

    name: str
    annotation: str
    mentions: frozenset[str]


@dataclass(frozen=True)
class TablePlace:
    """An `__annotations__ = {...}` in a class body: its keys, the place of the next entry, and the text before it."""

    keys: frozenset[str]
    offset: int
    lead: str


@dataclass(frozen=True)
class ClassPlace:
    """A `class`: its body's assignments and annotations, and the place of new ones.

    `bound` are the names that the body binds, with the offsets from which they hold; `outer` the names of the functions
    around the class.
    """

    known: definitions.Class
    offset: int
    place: LinePlace
    assignments: tuple[Assignment, ...]
    members: tuple[Member, ...]
    table: TablePlace | None
    bound: tuple[tuple[str, int], ...]
    outer: frozenset[str]

    def shadows(self, offset: int) -> frozenset[str]:
        """The names that the body and the functions around it hide at the offset."""
        return self.outer | {name for name, since in self.bound if since <= offset}

    def has(self, name: str) -> bool:
        return any(each.name == name for each in self.members) or (self.table is not None and name in self.table.keys)


@dataclass(frozen=True)
class Outline:
    """A source file: its functions and classes by their first lines, and the places for imports.

    `heads` are the words in the file's annotations ("List", "list", "|"), `quoted` the lines with a part of a string
    that spans several.
    """

    text: Text
    known: Module
    functions: Mapping[int, FunctionPlace]
    classes: Mapping[int, ClassPlace]
    from_imports: tuple[FromImport, ...]
    import_lines: tuple[ImportLine, ...]
    import_place: LinePlace
    heads: frozenset[str]
    quoted: frozenset[int]
