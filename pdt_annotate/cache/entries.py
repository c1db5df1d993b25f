"""One run's result, stored under the options that decide it and the surroundings of the run."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from pdt_annotate.cache import store
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome, sources_of
from pdt_annotate.values.runs import Closure

LEEWAY_NS = 50_000_000  # the clock of a file system advances in steps


@dataclass(frozen=True)
class CachedAnswer:
    name: str
    closure: Closure  # without an answer, it has only files
    said: str = ""  # the last line to print, "" if something has changed or the run did not end well
    judges: tuple[str, ...] = ()
    is_moved: bool = False  # modules are found in other places than before

    def reads_any(self, files: Iterable[str]) -> bool:
        """Return whether one of the files was read, or may be now, because modules are found in other places."""
        read = {os.path.realpath(file) for file in self.closure.files}
        return self.is_moved or any(os.path.realpath(file) in read for file in files)


def find(options: Options) -> CachedAnswer | None:
    """Return the answer for these options; an entry from other surroundings only has the files that the run read."""
    if options.runs_nothing or options.asks_for_more:
        return None
    name, entries = _name(options), store.read(options.root)[store.ENTRIES]
    same_options = name.partition("-")[0]
    alike = (entries[each] for each in reversed(entries) if each.startswith(same_options))
    known = entries.get(name) or next(alike, None)
    if known is None:
        return None
    try:
        files, taken = frozenset(known["read"]), known["state"] if name in entries else None
        if taken is None:
            return CachedAnswer(name, Closure(files))
        if known["said"].isprintable() and store.is_current(taken):
            names = frozenset((directory, each) for directory, wanted, _ in taken["names"] for each in wanted)
            closure = Closure(files, names, frozenset(taken["listed"]))
            return CachedAnswer(name, closure, known["said"], tuple(known["judges"]))
        return CachedAnswer(name, Closure(files), is_moved=not store.finds_the_same(taken))
    except store.BROKEN:
        return None


def keep(options: Options, outcome: Outcome, judged: str, started_ns: int) -> None:
    """Record that nothing is missing in the present files; if that is not so, record only the files that the run read.

    The run began at `started_ns`: a file that has changed since was not judged. `judged` is a clause with the verdicts.
    """
    if options.runs_nothing or options.asks_for_more or not outcome.closure.files:
        return
    name = _name(options)
    # The answer also depends on the profiles, and on the directories in which they were looked up.
    paths = {os.path.abspath(path) for path in options.profiles}
    directories = {path for path in paths if os.path.isdir(path)}
    inside = {os.path.join(directory, name) for directory in directories for name in os.listdir(directory)}
    files = outcome.closure.files | (paths - directories) | inside
    written = sources_of(outcome.changes)
    done = outcome.verified and (not written or options.write_back.value.changes_sources)
    document: store.Document = {"read": sorted(files), "state": None}
    if done and not any(_changed_since(started_ns, file) for file in files - written.keys()):
        document |= {
            "state": store.take_state(files, outcome.closure.names, outcome.closure.listed | directories, written),
            "said": f"nothing to annotate; {judged} (in an earlier run; unchanged since)",
            "judges": [verdict.judge for verdict in outcome.verdicts],
        }
    store.keep(options.root, store.ENTRIES, name, document)


def _name(options: Options) -> str:
    asked = store.digest_value([[name, repr(value)] for name, value in options.deciding.items()])
    return f"{asked}-{store.describe_surroundings()}{''.join(describe_python(options)[:1])}"


def describe_python(options: Options) -> tuple[str, ...]:
    """Return a digest of the Python that runs the user's code, and its parts; empty for our own Python."""
    if not options.python:
        return ()
    python = options.interpreter
    digest = store.describe_other(python.executable, python.prefix, python.path)
    return (digest, python.executable, python.prefix, *python.path)


def _changed_since(moment_ns: int, file: str) -> bool:
    try:
        status = os.stat(file)
    except OSError:
        return True
    return max(status.st_mtime_ns, status.st_ctime_ns) >= moment_ns - LEEWAY_NS
