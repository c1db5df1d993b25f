"""Values about the mended files, for the files as they are on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from pdt_annotate.search.mend.make import Mended
from pdt_annotate.source.moves import trace
from pdt_annotate.source.project import Project
from pdt_annotate.values.outcome import FileChange, Overlaid, Rendered

T = TypeVar("T")


def tell_of_disk(found: T, mended: Mended) -> T:
    """Return a value with all places, functions and slots in it as they are on disk."""
    return trace(found, mended.moves)


def rendered_on_disk(rendered: Rendered, mended: Mended) -> Rendered:
    """Return annotations rendered into mended files as changes of the files on disk, including the mends."""

    def changes() -> Iterator[FileChange]:
        rewritten = {change.file: change for change in rendered.changes}
        for file in dict.fromkeys((*rewritten, *mended.sources)):
            after = rewritten[file].after if file in rewritten else mended.sources[file]
            edits = tell_of_disk(rewritten[file].edits, mended) if file in rewritten else ()
            yield FileChange(file, mended.disk.source(file), after, mended.compose(file, edits))

    return Rendered(tuple(changes()), *tell_of_disk((rendered.written, rendered.refused), mended), ())


def split(project: Project, changes: Sequence[FileChange]) -> tuple[tuple[FileChange, ...], tuple[Overlaid, ...]]:
    """Return the changes of files under the root, and those of other files, which go to an overlay."""
    own = tuple(change for change in changes if project.is_own(change.file))
    foreign = (change for change in changes if not project.is_own(change.file))
    return own, tuple(Overlaid(project.module_name(change.file), change) for change in foreign)
