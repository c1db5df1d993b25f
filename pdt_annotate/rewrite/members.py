"""New annotations in a class body: lines of their own, or entries of an `__annotations__` table.

TorchScript needs live objects for the attributes of a module. Under `from __future__ import annotations` every
annotation is a string, which it rejects, so there the class gets one table, with the annotations that it has repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pdt_annotate.rewrite.names import ModuleNames
from pdt_annotate.rewrite.outline import ClassPlace, Line, LinePlace, Outline, Piece, insert_pieces
from pdt_annotate.values.edits import Edit

_STEP = "    "


def insert_members(
    outline: Outline, body: ClassPlace, members: Mapping[str, Piece], names: ModuleNames, limit: int
) -> Iterator[Edit]:
    """The edits that annotate the names with the spelled types."""
    owner = next(slot.owner for _, slot in members.values() if slot)
    if body.table:
        pieces = [(body.table.lead, None), *_joined(_entries(members))]
        return insert_pieces(body.table.offset, pieces, owner)
    if not outline.known.future_annotations:
        return body.place.insert(([(f"{name}: ", None), piece] for name, piece in members.items()), owner)
    table = _table(list(_entries(dict(_repeated(body, names)) | dict(members))), body.place, limit)
    return body.place.insert([table], owner)


def _entries(members: Mapping[str, Piece]) -> Iterator[Line]:
    return ([(f'"{name}": ', None), piece] for name, piece in members.items())


def _repeated(body: ClassPlace, names: ModuleNames) -> Iterator[tuple[str, Piece]]:
    """The class's own annotations: live where they can be evaluated in front of the table, else still as strings."""
    hidden = body.shadows(body.place.offset)
    for member in body.members:
        live = all(name in hidden or names.evaluates(name, body.offset) for name in member.mentions)
        yield member.name, (member.annotation if live else json.dumps(member.annotation), None)


def _joined(entries: Iterable[Line]) -> list[Piece]:
    return [piece for entry in entries for piece in ((", ", None), *entry)][1:]


def _table(entries: Sequence[Line], place: LinePlace, limit: int) -> Line:
    head: Piece = ("__annotations__ = {", None)
    line = [head, *_joined(entries), ("}", None)]
    if not place.newline or len(place.indent) + sum(len(text) for text, _ in line) <= limit:
        return line
    break_ = place.newline + place.indent
    rows = [piece for entry in entries for piece in ((break_ + _STEP, None), *entry, (",", None))]
    return [head, *rows, (break_ + "}", None)]
