"""A file that gets annotations: its bytes, its module, and the places for new lines.

Every offset counts bytes of the UTF-8 body (`Text.body`).
"""

import ast
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pdt_annotate.source.definitions import first_line
from pdt_annotate.source.imports import package_of
from pdt_annotate.source.module import Namespace, read_module
from pdt_annotate.source.names import ModuleNames
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.source.text import Text, decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.slots import Owner, Slot
from pdt_annotate.values.style import Style

USUAL, MOST = 88, 120  # the least and the greatest limit if the project has none; black's is 88
STEP = "    "

Piece = tuple[str, Slot | None]  # a part of a line; with the slot that it annotates if it is a type
Line = list[ast.stmt]  # the statements that share a line
Assignment = ast.Assign | ast.AnnAssign

_SEMICOLON = re.compile(rb"(?:[ \t\f;]|\\(?:\r\n|\r|\n))*")
_REST_OF_LINE = re.compile(_SEMICOLON.pattern + rb"(?:#[^\r\n]*)?(?:\r\n|\r|\n)?")


class SourceFile:
    """A source file, as its own bytes and as a module."""

    def __init__(self, source: bytes, file: str) -> None:
        self.text = decode(source)
        self.module = read_module(file, source)

    @cached_property
    def spaces(self) -> Mapping[int, Namespace]:
        """The names of each function and class, by its first line."""
        return {first_line(space.node): space for space in self.module.namespaces[1:]}  # type: ignore[arg-type]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all annotations: "t", "Optional", "Tensor" and "t.Optional[]" of `t.Optional[Tensor]`; "|"."""
        found: set[str] = set()
        annotations = (
            node.annotation if isinstance(node, (ast.arg, ast.AnnAssign)) else node.returns
            for node in self.module.nodes
            if isinstance(node, (ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef))
        )
        for part in (part for annotation in filter(None, annotations) for part in ast.walk(annotation)):
            if isinstance(part, ast.Name | ast.Attribute):
                found.add(part.id if isinstance(part, ast.Name) else part.attr)
            elif isinstance(part, ast.BitOr):
                found.add("|")
            elif isinstance(part, ast.Subscript):
                found.add(f"{dotted_name(part.value)}[]")
        return frozenset(found)

    @cached_property
    def _widest(self) -> int:
        """The width of the file's code, without comments and the strings that span several lines; 0 if it is usual."""
        lines = {number: line for number, line in enumerate(self.text.lines, 1) if width(line) > USUAL}
        for node in self.module.nodes if lines else ():
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
                for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    lines.pop(number, None)
        return max((0, *(width(line) for line in lines.values() if not line.lstrip().startswith("#"))))

    def line_limit(self, style: Style) -> int:
        """The greatest width of a new line: the project's limit, else the width of the file's code."""
        return style.line_length or min(MOST, max(USUAL, self._widest))

    def assignment(self, space: Namespace, name: str, line: int | None = None) -> Assignment | None:
        """The first assignment to a name or attribute, on the line if one is asked for.

        `(x) = v` and `x = y = v` take no annotation.
        """
        start = self.text.start
        for node in (each.node for each in space.statements):
            if isinstance(node, ast.Assign) and (len(node.targets) > 1 or start(node.targets[0]) != start(node)):
                continue
            if isinstance(node, Assignment):
                target = target_of(node)
                if line in (None, target.lineno) and dotted_name(target) == name:
                    return node
        return None

    def lines(self, body: Iterable[ast.stmt]) -> list[Line]:
        """The statements of a body, line by line."""
        lines: list[Line] = []
        for node in body:
            if lines and _SEMICOLON.fullmatch(self.text.body, self.text.end(lines[-1][-1]), self.text.start(node)):
                lines[-1].append(node)
            else:
                lines.append([node])
        return lines

    def end_of_line(self, offset: int) -> int:
        """The offset after the newline, if only `;` and a comment are between."""
        found = _REST_OF_LINE.match(self.text.body, offset)
        return found.end() if found else offset


def target_of(node: Assignment) -> ast.expr:
    return node.target if isinstance(node, ast.AnnAssign) else node.targets[0]


def width(line: str) -> int:
    """The columns of a line; wide characters take two."""
    if line.isascii() and "\t" not in line:
        return len(line)
    characters = [each for each in line.expandtabs(4) if not unicodedata.combining(each)]
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in characters)


def read_source(source: bytes, file: str) -> SourceFile:
    """Read a source file, from memory if the same bytes were read before.

    Raises UserError if the bytes are no Python source, or could not be kept byte for byte.
    """
    try:
        return _read(source, file)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"the source cannot be rewritten: {error}", file=file) from error


_read = lru_cache(maxsize=64)(SourceFile)  # repair renders the same few files again and again


@lru_cache(maxsize=64)
def names_of(read: SourceFile, module: str, file: str) -> ModuleNames:
    """The names of a file, whose dotted name as a module is given, "" if unknown."""
    return ModuleNames(read.text, read.module, package_of(module, file))


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

    def insert(self, lines: Iterable[Sequence[Piece]], owner: Owner | None = None) -> Iterator[Edit]:
        before = self.newline if self.open_ended else ""
        begin = f"{before}{self.indent}" if self.newline else "; "
        end = "" if self.open_ended else self.newline
        pieces: list[Piece] = [(self.newline if self.blank_before else "", None)]
        for line in lines:
            pieces += [(begin, None), *line, (end, None)]
        return insert_pieces(self.offset, [*pieces, (end * self.blanks_after, None)], owner)


def line_place(
    text: Text, offset: int, indent: str = "", *, blank_before: bool = False, blanks_after: int = 0
) -> LinePlace:
    """The place of new lines at an offset, with the newline that is usual there."""
    newline, open_ended = text.newline_before(offset), offset not in text.starts
    return LinePlace(offset, newline, indent, open_ended, blank_before, blanks_after)


def insert_pieces(offset: int, pieces: Iterable[Piece], owner: Owner | None) -> Iterator[Edit]:
    return (Edit(offset, text, owner, slot) for text, slot in pieces if text)
