"""What machine output says of a run beside what was found: how files and lines are named, and how the run ended."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pdt_annotate.emit.machine.paths import is_below
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.moves import Moves
from pdt_annotate.values.outcome import Outcome


@dataclass(frozen=True)
class Invocation:
    """One run of the command.

    Args:
        base: the directory that files are named from (absolute), as `choose_base` says.
        write_back: where the result went, or would have gone.
        exit_code: what the process will end with.
    """

    base: str
    write_back: WriteBack = WriteBack.IN_PLACE
    exit_code: int = 0


def choose_base(root: str, directory: str) -> str:
    """The directory that files are named from: the working directory where the root lies in it, else the root.

    Those who read machine output, such as a forge that marks lines in a pull request, take paths from the top of the
    repository, in which CI runs; the root may be a project further down.
    """
    return directory if os.path.realpath(root) == os.path.realpath(directory) or is_below(directory, root) else root


class Lines:
    """Lines of what was annotated, or judged, as lines of the files that the command leaves behind."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self._moves = {change.file: Moves(change.before, change.edits) for change in outcome.changes}
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
