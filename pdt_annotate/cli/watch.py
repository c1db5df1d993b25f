"""`--watch`: the same run again after each change of a source, in processes that keep torch and packages imported."""

import contextlib
import linecache
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from pdt_annotate.cli.deliver import deliver
from pdt_annotate.cli.entry import Ended, report_error, say
from pdt_annotate.cli.run_options import Run
from pdt_annotate.cli.working import reporting, say_torch_notice
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.exits import EXIT_DONE
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.paths import project_files

if TYPE_CHECKING:
    from pdt_annotate.processes.zygote import Zygote

PAUSE = 0.2  # seconds between two looks at the files

Stamps = dict[str, tuple[int, int]]  # the time and the size of each file
Find = Callable[[Options, "Zygote", Progress], Outcome]


def watch(load: Callable[[], Sequence[Run]], find: Find) -> int:
    """Find and show the outcome again and again; Ctrl-C ends it with the exit code of the last one.

    Installed packages are imported once, the project's own modules each time: any of them may hold objects of a changed
    one. Settings are read each time, except those of the processes, such as the timeout.
    """
    from pdt_annotate.flows import preflight  # noqa: PLC0415
    from pdt_annotate.processes.tasks import library_modules  # noqa: PLC0415
    from pdt_annotate.processes.zygote import Zygote  # noqa: PLC0415

    options, code, read = _load_one(load), EXIT_DONE, frozenset[str]()
    preflight.check(options)
    say_torch_notice([options])
    try:
        with Zygote(options.timeout, interpreter=options.interpreter) as zygote:
            while True:
                seen = _stamps(options, read)
                try:
                    options = _load_one(load)
                    with reporting(options) as (report, progress):
                        outcome = find(options, zygote, progress)
                        if zygote.sessions and not options.types_third_party:  # otherwise packages may change
                            zygote.import_libraries(library_modules(zygote.sessions[0]))
                    read |= outcome.closure.files
                    code = deliver(outcome, options, report)
                except PdtError as error:  # perhaps in the middle of an edit
                    code = report_error(error, verbose=options.verbosity > 0)
                seen = _stamps(options, read) | seen  # a file that this run read first has no earlier stamp
                say("watching for changes; Ctrl-C ends")
                _await_change(options, read, seen)
                zygote.end_sessions()
                linecache.checkcache()
    except Ended:
        raise
    except KeyboardInterrupt:
        return code


def _load_one(load: Callable[[], Sequence[Run]]) -> Options:
    first, *others = (run.options for run in load())
    if others or first.runs_nothing:
        raise UserError("--watch accepts one target with example inputs", hint="name one target")
    if first.interactive:
        raise UserError("--interactive and --watch exclude each other", hint="choose one of them")
    return first


def _await_change(options: Options, read: Iterable[str], seen: Stamps) -> None:
    """Return once files have changed, and change no more: an editor writes in steps."""
    before = seen
    while True:
        time.sleep(PAUSE)
        now = _stamps(options, read)
        if now != seen and now == before:
            return
        before = now


def _stamps(options: Options, read: Iterable[str]) -> Stamps:
    """The times and sizes of the project's sources, of the spec, and of the files that the last runs read."""
    files = project_files(options.root, (".py", ".pyi", ".toml"))
    stamps: Stamps = {}
    for file in (*read, *filter(None, [options.spec.file]), *files):
        with contextlib.suppress(OSError):  # it was removed meanwhile
            found = os.stat(file)
            stamps[file] = found.st_mtime_ns, found.st_size
    return stamps
