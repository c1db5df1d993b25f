"""Files that are edited while the program runs: their functions are no longer what the source says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from pdt_annotate.source.locals import wanted_locals
from pdt_annotate.values.slots import Observation, Owner

Version = tuple[int, int] | None


class SourceVersions:
    """The versions that files had when the first of their functions was called."""

    def __init__(self) -> None:
        self._versions: dict[str, Version] = {}

    def wanted_locals(self, owner: Owner) -> Iterator[tuple[str, int]]:
        """The locals to read in a function that is called for the first time."""
        if owner.file not in self._versions:
            self._versions[owner.file] = version_of(owner.file)
        return wanted_locals(owner)

    def unchanged(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """The observations of functions whose files are as they were."""
        same = {file for file, version in self._versions.items() if version == version_of(file)}
        return (o for o in observations if o.slot.owner.file in same)


def version_of(file: str) -> Version:
    """What changes when a file is written: its time in nanoseconds, and its size; None where it is gone."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)
