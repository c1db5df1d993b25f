"""Facts about a run other than its findings, for machine output: names of files and places, and how the run ended."""

import linecache
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.moves import moves_of
from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import NO_PLACE, Place

_QUOTED_FILE = re.compile(r'(File ")([^"]+)(")')


def relative_to(root: str, file: str) -> str:
    """The file relative to the root; a file outside it, relative to the import path that holds it.

    A file of another Python, on no path of ours, gets the names of its packages, or its bare name.
    """
    for base in [root, *sorted(filter(os.path.isabs, sys.path), key=len, reverse=True)]:
        if relative := path_below(base, file):
            return relative
    path = Path(file)
    packages = module_name_of(file).count(".") + (path.stem == "__init__")
    return "/".join(path.parts[-1 - packages :])


def without_root(root: str, text: str) -> str:
    """A message with each `File "…"` of a traceback, and every other path below the root, made relative."""
    text = _QUOTED_FILE.sub(lambda match: match[1] + relative_to(root, match[2]) + match[3], text)
    below = root.rstrip(os.sep)
    return text.replace(below + os.sep, "") if below else text


def path_below(base: str, file: str) -> str:
    """The part of the file's path below the base, also through symlinks; "" if it is not below. "a/b" is unchanged."""
    if not os.path.isabs(file):
        return file.replace(os.sep, "/")
    for start, path in ((base, file), (os.path.realpath(base), os.path.realpath(file))):
        prefix = start.rstrip(os.sep) + os.sep
        if path.startswith(prefix):
            return path.removeprefix(prefix).replace(os.sep, "/")
    return ""


@dataclass(frozen=True)
class NoResult:
    """Targets without a result, and why: the error, its place, and advice."""

    targets: tuple[str, ...]
    message: str
    place: Place = NO_PLACE
    hint: str = ""


@dataclass(frozen=True)
class Invocation:
    """One run of the command as typed, and its exit code; `without_result` are the errors that ended runs early."""

    base: str
    write_back: WriteBack = WriteBack.IN_PLACE
    exit_code: int = 0
    words: tuple[str, ...] = ()
    stubs: str = ""
    overlay: str = ""
    without_result: tuple[NoResult, ...] = ()
    command: str = ""  # the command that shows whether the next step helped

    @property
    def targets_without_result(self) -> list[str]:
        return [target for each in self.without_result for target in each.targets]


def choose_base(root: str, directory: str) -> str:
    """The directory that files are named from: the working directory if it contains the root, otherwise the root.

    A forge takes paths from the top of the repository, where CI runs; the root may be a project further down.
    """
    return directory if os.path.realpath(root) == os.path.realpath(directory) or path_below(directory, root) else root


class Moved:
    """Converts places in the annotated or judged code to places in `contents`, the final bytes of changed files."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self._moves = moves_of(outcome.changes)
        self._is_sound = outcome.is_sound
        self._is_written = outcome.is_sound and invocation.write_back.value.changes_sources
        self.contents = {each.file: each.after if self._is_written else each.before for each in outcome.changes}

    def found(self, place: Place) -> Place:
        """The present place of something that was in the file when the command began."""
        moves = self._moves.get(place.file)
        return moves.follow_place(place) if moves and self._is_written else place

    def judged(self, place: Place) -> Place:
        """The same for a place that a judge named: it is in the changed file, unless only some changes were kept."""
        moves = self._moves.get(place.file)
        return self.found(place) if self._is_sound or not moves else moves.trace_place(place)

    def line(self, place: Place) -> str:
        """The line at a place in the final files; "" if there is none."""
        if place.file not in self.contents:
            return linecache.getline(place.file, place.line)
        lines = decode(self.contents[place.file]).lines
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""
