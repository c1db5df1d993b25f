"""A place in a file, and its spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pdt_annotate.values.printable import one_line


@dataclass(frozen=True, order=True)
class Place:
    """A file, with a line and a column in characters, both from 1; 0 if not known."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """ "dir/model.py:12:5", as compilers and linters write it; terminals and editors make it a link."""
        known = (self.line, self.column) if self.line and self.column else filter(None, [self.line])
        return ":".join((one_line(self.file), *map(str, known))) if self.file else ""

    @property
    def whole_line(self) -> Place:
        return replace(self, column=0)

    def named(self, file: str) -> Place:
        """The same place under another name of its file, such as its path from a directory."""
        return replace(self, file=file)


NO_PLACE = Place()


AT_LINE = re.compile(r"\(at line (\d+), column (\d+)\)")  # how `tomllib` ends its messages


def place_of_error(file: str, error: Exception) -> Place:
    """The place of a parse error in a file; only the file if the error has no line."""
    if isinstance(error, SyntaxError):
        return Place(file, error.lineno or 0, max(error.offset or 0, 0))
    found = AT_LINE.search(str(error))
    return Place(file, int(found[1]), int(found[2])) if found else Place(file)


def column_at(line: str, offset: int) -> int:
    """The column of a byte of a line: syntax trees and the compiler count the bytes of UTF-8.

    >>> column_at('ä = "ö" + x', 12)
    11
    """
    return 1 + len(line.encode()[:offset].decode(errors="ignore"))
