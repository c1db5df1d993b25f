"""Where functions, classes and slots stand in the files as a run found them."""

from __future__ import annotations

from collections.abc import Iterable

from pdt_annotate.source.survey import surveys
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner, Slot


class Places:
    """Looks places up; each file is read once.

    Args:
        changes: files that may have been written since.
    """

    def __init__(self, changes: Iterable[FileChange] = ()) -> None:
        self._survey = surveys({change.file: change.before for change in changes})

    def of(self, owner: Owner) -> Place:
        """Where the name of a function or class stands."""
        found = self._survey(owner.file)
        return found.place(owner) if found else Place(owner.file, owner.line)

    def of_slot(self, slot: Slot) -> Place:
        """Where the name of a slot stands, that of its function for a return."""
        found = self._survey(slot.owner.file)
        return found.place_of(slot) if found else Place(slot.owner.file, slot.line or slot.owner.line)
