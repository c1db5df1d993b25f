"""Lines of what was annotated, or judged, as lines of the files that the command leaves behind."""

from __future__ import annotations

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.moves import Moves
from pdt_annotate.values.outcome import Outcome


class Lines:
    """The lines of one outcome's files."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self._moves = {change.file: Moves(change.before, change.insertions) for change in outcome.changes}
        self._is_sound = outcome.is_sound
        self._is_written = outcome.is_sound and invocation.write_back is WriteBack.IN_PLACE

    def found(self, file: str, line: int) -> int:
        """Where a line of the file is now that was on disk when the command began."""
        return self._moves[file].follow(line) if self._is_written and file in self._moves else line

    def judged(self, file: str, line: int) -> int:
        """The same for a line that a judge named: one of the changed file, unless only a part of it was kept."""
        if self._is_sound or file not in self._moves:
            return self.found(file, line)
        return self._moves[file].trace(line)
