"""Which runs a commit concerns: those that read one of its files, and those of which nothing is known yet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from pdt_annotate import profiles
from pdt_annotate.cache import entries
from pdt_annotate.config import Options
from pdt_annotate.settings import Run


def concerned(runs: Iterable[Run], files: Sequence[str]) -> Iterator[Run]:
    """The runs that a change of these files may make another result of; no user code is run to know.

    Raises:
        UserError: a profile cannot be read.
    """
    return (run for run in runs if _concerns(run.options, files))


def _concerns(options: Options, files: Sequence[str]) -> bool:
    if options.runs_nothing:
        return _knows_any(options, files)
    entry = entries.find(options)
    return entry is None or (not entry.said and entry.reads_any(files))


def _knows_any(options: Options, files: Sequence[str]) -> bool:
    """Whether a profile is of one of the files."""
    known = profiles.match(profiles.load(options.profiles), options.root).modules.values()
    return not {os.path.realpath(file) for file in known}.isdisjoint(map(os.path.realpath, files))
