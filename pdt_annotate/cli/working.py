"""The resources of a command: the processes that run user code, the report, and the progress display.

Several runs may go at a time, each in separate processes; if one fails, the others go on.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pdt_annotate.cli.entry import errors_in_documents, say
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE
from pdt_annotate.values.torch_releases import notice

if TYPE_CHECKING:
    from pdt_annotate.processes.zygote import Zygote


@contextlib.contextmanager
def working(options: Options) -> Iterator[tuple[Zygote, Any, Callable[[str], None]]]:
    """Yield the zygote, the report, and a function that shows progress.

    The zygote imports torch while this process imports rich; --help and usage errors need neither.
    """
    from pdt_annotate.flows import preflight  # noqa: PLC0415
    from pdt_annotate.processes.zygote import Zygote  # noqa: PLC0415

    with errors_in_documents([options]):
        preflight.check(options)
        say_torch_notice([options])
        with (
            Zygote(options.timeout, interpreter=options.interpreter) as zygote,
            reporting(options) as (report, progress),
        ):
            yield zygote, report, progress


_said: set[str] = set()


def say_torch_notice(several: Sequence[Options]) -> None:
    """Print torch's notice on TorchScript once; the processes that run user code do not print it."""
    heard = (each.interpreter for each in several if each.verbosity >= 0)
    for said in (notice(each.torch_version, each.version) for each in heard):
        if said and said not in _said:
            _said.add(said)
            say(f"note: {said}")


@contextlib.contextmanager
def reporting(options: Options) -> Iterator[tuple[Any, Callable[[str], None]]]:
    from pdt_annotate.emit.terminal.report import TerminalReporter  # noqa: PLC0415

    report = TerminalReporter(options)
    with report.progress() as progress:
        yield report, progress


Zygotes = Callable[[], "contextlib.AbstractContextManager[Zygote]"]  # starts the processes for a run's code

Work = Callable[[Options, Zygotes, Progress], Any]


@dataclass(frozen=True)
class RunResult:
    """The result of one run, its user code's output, and its start; `code` is set once the result is reported."""

    options: Options
    value: Any = None
    error: BaseException | None = None
    heard: bytes = b""
    started_ns: int = 0
    code: int = EXIT_DONE


def run_batch(several: Sequence[Options], jobs: int, work: Work, progress: Progress) -> list[RunResult]:
    """Run the work for each of the options, `jobs` at a time, in threads; return the results in the same order."""
    import tempfile  # noqa: PLC0415 - `--help` does not need these
    from concurrent.futures import ThreadPoolExecutor, wait  # noqa: PLC0415

    from pdt_annotate.processes.zygote import Zygote  # noqa: PLC0415

    opened: list[Zygote] = []
    stopping = threading.Event()

    @contextlib.contextmanager
    def start_zygote(options: Options, output: int) -> Iterator[Zygote]:
        with Zygote(options.timeout, output, options.interpreter) as zygote:
            opened.append(zygote)
            if stopping.is_set():
                raise UserError("interrupted")  # never shown: all processes are being ended
            yield zygote

    def show(options: Options, text: str) -> None:
        progress(f"{options.name}: {text}")

    started = time.time_ns()
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile()) for _ in several]
        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        futures = [
            pool.submit(work, each, partial(start_zygote, each, output.fileno()), partial(show, each))
            for each, output in zip(several, outputs, strict=True)
        ]
        try:
            wait(futures)
        except BaseException:
            # End every process, so that the threads waiting for them end too.
            stopping.set()
            for future in futures:
                future.cancel()
            for zygote in list(opened):
                zygote.interrupt()
            raise
        results = []
        for options, future, output in zip(several, futures, outputs, strict=True):
            output.seek(0)
            error = future.exception()
            value = future.result() if error is None else None
            results.append(RunResult(options, value, error, output.read(), started))
        return results
