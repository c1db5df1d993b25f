"""One run's result, kept under the options that decide it and the surroundings in which it was found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pdt_annotate.cache import state, store, surroundings
from pdt_annotate.cache.commands import ENTRIES, SAID
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import Closure

JUDGE, READ = "judge", "read"

LEEWAY_NS = 50_000_000
"""File systems take their time from a clock that ticks."""


@dataclass(frozen=True)
class CachedAnswer:
    """What is known of one run.

    Args:
        name: the document's, in its group.
        closure: what the run depended on; where it has no answer, only the files.
        said: the last line, where all is as it was; "" where something has changed since, or the run did not end well.
        judges: what judged, for each verdict; all held.
        is_moved: modules are found in other places than before.
    """

    name: str
    closure: Closure
    said: str = ""
    judges: tuple[str, ...] = ()
    is_moved: bool = False

    def reads_any(self, files: Iterable[str]) -> bool:
        """Whether one of the files was read, or modules are found elsewhere, so that one of them may be now."""
        read = {os.path.realpath(file) for file in self.closure.files}
        return self.is_moved or any(os.path.realpath(file) in read for file in files)


def may_answer(options: Options) -> bool:
    """Whether a run with these options can be answered at all."""
    return not (options.runs_nothing or options.asks_for_more)


def find(options: Options) -> CachedAnswer | None:
    """What is known of a run with these options; from other surroundings, that is only what it read."""
    if not may_answer(options):
        return None
    name = _name(options)
    document = state.read(options.root, ENTRIES, name)
    known = document or _find_elsewhere(options.root, name)
    if not known:
        return None
    files = frozenset(state.files_in(known)).union(known.get(READ, ()))
    said = "".join(document.get(SAID, ()))
    if said.isprintable() and state.is_current(document):
        closure = Closure(files, frozenset(state.names_in(document)), frozenset(state.listed_in(document)))
        return CachedAnswer(name, closure, said, tuple(document.get(JUDGE, ())))
    return CachedAnswer(name, Closure(files), is_moved=not state.finds_the_same(document))


def _find_elsewhere(root: str, name: str) -> store.Document:
    same_options = name.partition("-")[0]
    documents = (state.read(root, ENTRIES, other) for other in store.names(root, ENTRIES, same_options))
    return next(filter(None, documents), {})


def keep(options: Options, outcome: Outcome, judged: str, started_ns: int) -> None:
    """Keep what a run found: that nothing is missing, in the files as they stand now; or else only what it read.

    Args:
        options: what it was asked for.
        outcome: what it gave, written already where that was asked for.
        judged: what the judges said, in one clause.
        started_ns: when it began. A file that changed since is not what was judged.
    """
    if not may_answer(options) or not outcome.closure.files:
        return
    name = _name(options)
    profiles, directories = _profiles(options)
    files = outcome.closure.files | profiles
    written = {change.file: change.after for change in outcome.changes}
    done = outcome.verified and (not written or options.write_back.value.changes_sources)
    document: dict[str, Sequence[str]] = {READ: sorted(files)}
    if done and not any(_changed_since(started_ns, file) for file in files - written.keys()):
        taken = state.take(files, outcome.closure.names, outcome.closure.listed | directories, written)
        said = f"nothing to annotate; {judged} (unchanged since)"
        document = {SAID: [said], JUDGE: [verdict.judge for verdict in outcome.verdicts], **taken}
    store.write(options.root, ENTRIES, name, document)


def _name(options: Options) -> str:
    asked = store.digest([[name, repr(value)] for name, value in options.deciding.items()])
    return f"{asked}-{surroundings.describe()}{describe_python(options).partition(store.FIELDS)[0]}"


def describe_python(options: Options) -> str:
    """The Python that runs the user's code, where that is not our own: a digest of it, and what that was made of.

    Raises:
        UserError: there is no such Python.
    """
    if not options.python:
        return ""
    python = options.interpreter
    parts = (python.executable, python.prefix, *python.path)
    return store.FIELDS.join((surroundings.describe_other(python.executable, python.prefix, python.path), *parts))


def _profiles(options: Options) -> tuple[set[str], set[str]]:
    """The profiles that were read, and the directories in which they were looked for."""
    paths = {os.path.abspath(path) for path in options.profiles}
    directories = {path for path in paths if os.path.isdir(path)}
    inside = {os.path.join(directory, name) for directory in directories for name in os.listdir(directory)}
    return (paths - directories) | inside, directories


def _changed_since(moment_ns: int, file: str) -> bool:
    try:
        status = os.stat(file)
    except OSError:
        return True
    return max(status.st_mtime_ns, status.st_ctime_ns) >= moment_ns - LEEWAY_NS
