"""Lines of what was annotated, or judged, as lines of the files that the command leaves behind."""

from __future__ import annotations

from pdt_annotate.config import WriteBack
from pdt_annotate.emit.edits import follow_line
from pdt_annotate.emit.invocation import Invocation
from pdt_annotate.emit.source_text import SourceText
from pdt_annotate.ir import FileChange, Outcome


class Lines:
    """The lines of one outcome's files."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self._changes = {change.file: change for change in outcome.changes}
        self._is_sound = outcome.is_sound
        self._is_written = self._is_sound and invocation.write_back is WriteBack.IN_PLACE

    def found(self, file: str, line: int) -> int:
        """Where a line of the file is now that was on disk when the command began."""
        change = self._changes.get(file)
        return _follow(change, line) if change and self._is_written else line

    def judged(self, file: str, line: int) -> int:
        """The same for a line that a judge named: one of the changed file, unless only a part of it was kept."""
        change = self._changes.get(file)
        return _follow(change, line, back=True) if change and not self._is_sound else self.found(file, line)


def _follow(change: FileChange, line: int, *, back: bool = False) -> int:
    before, after = SourceText(change.before).text, SourceText(change.after).text
    return follow_line(after, before, line) if back else follow_line(before, after, line)
