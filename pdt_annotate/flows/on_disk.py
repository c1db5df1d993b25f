"""The changes of the files on disk."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.search.mend.make import Mended
from pdt_annotate.source.moves import trace
from pdt_annotate.values.outcome import FileChange, Rendered


def rendered_on_disk(rendered: Rendered, mended: Mended) -> Rendered:
    """Return annotations rendered into mended files as changes of the files on disk, including the mends."""

    def changes() -> Iterator[FileChange]:
        rewritten = {change.file: change for change in rendered.changes}
        for file in dict.fromkeys((*rewritten, *mended.sources)):
            after = rewritten[file].after if file in rewritten else mended.sources[file]
            edits = trace(rewritten[file].edits, mended.moves) if file in rewritten else ()
            yield FileChange(file, mended.disk.source(file), after, mended.compose(file, edits))

    return Rendered(tuple(changes()), *trace((rendered.written, rendered.refused), mended.moves), ())
