"""Where a key of `[tool.pdt-annotate]` stands. `tomllib` does not tell, so the text is looked through."""

from __future__ import annotations

import re

TABLE = re.compile(r'\s*\[\s*tool\s*\.\s*["\']?pdt-annotate["\']?\s*\]')
ENTRY = re.compile(r'\s*\[\[\s*tool\s*\.\s*["\']?pdt-annotate["\']?\s*\.\s*["\']?targets["\']?\s*\]\]')
HEADER = re.compile(r"\s*\[")


def find_line(text: str, key: str, index: int | None = None) -> int:
    """The line of a key in the table, or in the entry of that index; of the entry's head if the key is not in it.

    0 where neither is found, as in inline tables.
    """
    wanted = re.compile(rf'\s*["\']?{re.escape(key)}["\']?\s*[=.]')
    inside, entry, head = False, -1, 0
    for number, line in enumerate(text.splitlines(), 1):
        is_entry = bool(ENTRY.match(line))
        entry += is_entry
        if is_entry or HEADER.match(line):
            inside = (entry == index) if is_entry else index is None and bool(TABLE.match(line))
            head = number if inside else head
        elif inside and wanted.match(line):
            return number
    return head
