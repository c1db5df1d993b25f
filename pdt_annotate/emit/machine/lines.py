"""Lines of what was annotated, or judged, as lines of the files that the command leaves behind."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.emit.files.comparison import Comparison, compare
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome


class Lines:
    """The lines of one outcome's files."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        written = {change.file: compare(change) for change in outcome.changes}
        taken_back = {file: Comparison(each.after, each.before) for file, each in written.items()}
        is_written = outcome.is_sound and invocation.write_back is WriteBack.IN_PLACE
        self._found = written if is_written else {}
        self._judged = self._found if outcome.is_sound else taken_back

    def found(self, file: str, line: int) -> int:
        """Where a line of the file is now that was on disk when the command began."""
        return _follow(self._found, file, line)

    def judged(self, file: str, line: int) -> int:
        """The same for a line that a judge named: one of the changed file, unless only a part of it was kept."""
        return _follow(self._judged, file, line)


def _follow(moves: Mapping[str, Comparison], file: str, line: int) -> int:
    return moves[file].follow(line) if file in moves else line
