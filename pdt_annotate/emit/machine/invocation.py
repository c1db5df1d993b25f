"""What machine output says of a run beside what was found: how files and places are named, and how the run ended."""

from __future__ import annotations

import linecache
import os
from dataclasses import dataclass

from pdt_annotate.emit.machine.paths import is_below
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import NO_PLACE, Place


@dataclass(frozen=True)
class NoResult:
    """Targets of which nothing came, and why: what happened, where, and what to do."""

    targets: tuple[str, ...]
    message: str
    place: Place = NO_PLACE
    hint: str = ""


@dataclass(frozen=True)
class Invocation:
    """One run of the command.

    Args:
        base: the directory that files are named from (absolute), as `choose_base` says.
        write_back: where the result went, or would have gone.
        exit_code: what the process will end with.
        words: the command line as it was typed.
        stubs: the directory of `--stubs`.
        overlay: the directory of `--overlay`.
        without_result: what ended runs before there was anything to tell of them.
    """

    base: str
    write_back: WriteBack = WriteBack.IN_PLACE
    exit_code: int = 0
    words: tuple[str, ...] = ()
    stubs: str = ""
    overlay: str = ""
    without_result: tuple[NoResult, ...] = ()


def choose_base(root: str, directory: str) -> str:
    """The directory that files are named from: the working directory where the root lies in it, else the root.

    Those who read machine output, such as a forge that marks lines in a pull request, take paths from the top of the
    repository, in which CI runs; the root may be a project further down.
    """
    return directory if os.path.realpath(root) == os.path.realpath(directory) or is_below(directory, root) else root


class Moved:
    """Places in what was annotated, or judged, as places in the files that the command leaves behind.

    `contents` has, of files that may change, the bytes that they are left with.
    """

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self._moves = {change.file: Moves(change.before, change.edits) for change in outcome.changes}
        self._is_sound = outcome.is_sound
        self._is_written = outcome.is_sound and invocation.write_back.value.changes_sources
        self.contents = {each.file: each.after if self._is_written else each.before for each in outcome.changes}

    def found(self, place: Place) -> Place:
        """Where it is now, what was in the file when the command began."""
        moves = self._moves.get(place.file)
        return moves.follow_place(place) if moves and self._is_written else place

    def judged(self, place: Place) -> Place:
        """The same for a place that a judge named: one in the changed file, unless only a part of it was kept."""
        moves = self._moves.get(place.file)
        return self.found(place) if self._is_sound or not moves else moves.trace_place(place)

    def line(self, place: Place) -> str:
        """The line at a place in the files as they are left, "" where there is none."""
        if place.file not in self.contents:
            return linecache.getline(place.file, place.line)
        lines = decode(self.contents[place.file]).lines
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""
