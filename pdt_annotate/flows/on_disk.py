"""Places in mended files, translated to the files as they are on disk."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pdt_annotate.search.mend.make import Mended
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange, Overlaid, Rendered
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner, Slot

T = TypeVar("T")


def tell_of_disk(found: T, mended: Mended) -> T:
    """Return a value with all places, functions and slots in it as they are on disk."""
    moves = {file: Moves(mended.disk.source(file), weave.edits) for file, weave in mended.weaves.items()}
    told: T = _tell(found, moves)
    return told


def tell_before(found: T, changes: Iterable[FileChange]) -> T:
    """Return a value about changed files with its places as they were before the changes."""
    told: T = _tell(found, {change.file: Moves(change.before, change.edits) for change in changes})
    return told


def _tell(value: Any, moves: Mapping[str, Moves]) -> Any:
    if not moves:
        return value
    if isinstance(value, Place):
        return moves[value.file].trace_place(value) if value.file in moves else value
    if isinstance(value, Owner):
        return replace(value, line=_trace(value.file, value.line, moves))
    if isinstance(value, Slot):
        line = _trace(value.owner.file, value.line, moves) if value.line else 0
        return replace(value, owner=_tell(value.owner, moves), line=line)
    if isinstance(value, tuple):
        return tuple(_tell(each, moves) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _tell(getattr(value, f.name), moves) for f in dataclasses.fields(value)})
    return value


def _trace(file: str, line: int, moves: Mapping[str, Moves]) -> int:
    return moves[file].trace(line) if file in moves else line


def rendered_on_disk(rendered: Rendered, mended: Mended) -> Rendered:
    """Return annotations rendered into mended files as changes of the files on disk, including the mends."""
    changed = {change.file: change for change in rendered.changes}
    files = dict.fromkeys((*changed, *mended.sources))

    def change_of(file: str) -> FileChange:
        change = changed.get(file)
        after = change.after if change else mended.sources[file]
        edits: tuple[Edit, ...] = tell_of_disk(change.edits, mended) if change else ()
        return FileChange(file, mended.disk.source(file), after, mended.compose(file, edits))

    told = tell_of_disk(replace(rendered, changes=(), again=()), mended)
    return replace(told, changes=tuple(map(change_of, files)))


def split(project: Project, changes: Sequence[FileChange]) -> tuple[tuple[FileChange, ...], tuple[Overlaid, ...]]:
    """Return the changes of files under the root, and those of other files, which go to an overlay."""
    own = tuple(change for change in changes if project.is_own(change.file))
    foreign = (change for change in changes if not project.is_own(change.file))
    return own, tuple(Overlaid(project.module_name(change.file), change) for change in foreign)
