"""New annotations in a class body: lines of their own, or entries of an `__annotations__` table.

TorchScript needs live objects for the attributes of a module. Under `from __future__ import annotations` every
annotation is a string, which it rejects, so there the class gets one table, with the annotations that it has repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pdt_annotate.rewrite.names import Names
from pdt_annotate.rewrite.outline import Class, Outline, Place
from pdt_annotate.source.text import Insertion

_WIDTH = 100
_STEP = "    "


def insert_members(outline: Outline, body: Class, members: Mapping[str, str], names: Names) -> Insertion:
    """The insertion that annotates the names with the spelled types."""
    if body.table:
        return Insertion(body.table.offset, body.table.lead + ", ".join(_entries(members)))
    if not outline.known.future_annotations:
        return body.place.insert(f"{name}: {text}" for name, text in members.items())
    entries = tuple(_entries(dict(_repeated(body, names)) | dict(members)))
    return body.place.insert([_table(entries, body.place)])


def _entries(members: Mapping[str, str]) -> Iterator[str]:
    return (f'"{name}": {text}' for name, text in members.items())


def _repeated(body: Class, names: Names) -> Iterator[tuple[str, str]]:
    """The class's own annotations: live where they can be evaluated in front of the table, else still as strings."""
    hidden = body.shadows(body.place.offset)
    for member in body.members:
        live = all(name in hidden or names.evaluates(name, body.offset) for name in member.mentions)
        yield member.name, member.annotation if live else json.dumps(member.annotation)


def _table(entries: tuple[str, ...], place: Place) -> str:
    line = f"__annotations__ = {{{', '.join(entries)}}}"
    if not place.newline or len(place.indent + line) <= _WIDTH:
        return line
    break_ = place.newline + place.indent
    return f"__annotations__ = {{{''.join(f'{break_}{_STEP}{entry},' for entry in entries)}{break_}}}"
