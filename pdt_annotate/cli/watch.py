"""`--watch`: the same run again after each change of a source, in processes that keep torch and packages imported."""

from __future__ import annotations

import linecache
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pdt_annotate.cli.ended import Ended, say
from pdt_annotate.cli.entry import report_error
from pdt_annotate.cli.run_options import Run
from pdt_annotate.cli.working import reporting, say_torch_notice
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.exits import EXIT_DONE
from pdt_annotate.values.installed import is_environment
from pdt_annotate.values.outcome import Outcome

if TYPE_CHECKING:
    from pdt_annotate.processes.zygote import Zygote

PAUSE = 0.2  # seconds between two looks at the files

Stamp = tuple[str, int, int]
Find = Callable[[Options, "Zygote", Progress], Outcome]
Show = Callable[[Outcome, Options, Any], int]


def watch(runs: Sequence[Run], find: Find, show: Show) -> int:
    """Find and show the outcome again and again; Ctrl-C ends it with the exit code of the last one.

    Installed packages are imported once, the project's own modules each time: any of them may hold objects of a changed
    one.
    """
    from pdt_annotate.flows import preflight  # noqa: PLC0415
    from pdt_annotate.processes.zygote import Zygote  # noqa: PLC0415

    options = runs[0].options
    if len(runs) > 1 or options.runs_nothing:
        raise UserError("--watch takes one target with example inputs", hint="name one")
    if options.interactive:
        raise UserError("--interactive and --watch exclude each other", hint="choose one of them")
    preflight.check(options)
    say_torch_notice([options])
    code = EXIT_DONE
    try:
        with Zygote(options.timeout, interpreter=options.interpreter) as zygote:
            while True:
                seen = set(_stamps(options))
                code = _once(options, zygote, find, show)
                say("watching for changes; Ctrl-C ends")
                _await_change(options, seen)
                zygote.end_sessions()
                linecache.checkcache()
    except Ended:
        raise
    except KeyboardInterrupt:
        return code


def _once(options: Options, zygote: Zygote, find: Find, show: Show) -> int:
    from pdt_annotate.processes.tasks import library_modules  # noqa: PLC0415

    try:
        with reporting(options) as (report, progress):
            outcome = find(options, zygote, progress)
            if zygote.sessions and not options.types_third_party:  # otherwise packages may change
                zygote.import_libraries(library_modules(zygote.sessions[0]))
        return show(outcome, options, report)
    except PdtError as error:  # perhaps in the middle of an edit
        return report_error(error, verbose=options.verbosity > 0)


def _await_change(options: Options, seen: set[Stamp]) -> None:
    """Return once files have changed, and change no more: an editor writes in steps."""
    before = seen
    while True:
        time.sleep(PAUSE)
        now = set(_stamps(options))
        if now != seen and now == before:
            return
        before = now


def _stamps(options: Options) -> Iterator[Stamp]:
    """The sources of the project and the spec, with their times and sizes."""
    files = [options.spec.file] if options.spec.file else []
    for folder, folders, names in os.walk(options.root):
        folders[:] = [
            each for each in folders if each[0] not in "._" and not is_environment(os.path.join(folder, each))
        ]
        files += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    for file in files:
        try:
            found = os.stat(file)
        except OSError:  # it was removed meanwhile
            continue
        yield file, found.st_mtime_ns, found.st_size
