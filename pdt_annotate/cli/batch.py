"""Several runs, some at a time, each in processes of its own; one that fails leaves the others alone."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE
from pdt_annotate.values.progress import Progress

Zygotes = Callable[[], contextlib.AbstractContextManager[Zygote]]  # starts the processes that a run's code is run in

Work = Callable[[Options, Zygotes, Progress], Any]


@dataclass(frozen=True)
class RunResult:
    """How one run ended, what its user code printed, and when it began; `code` is set once people have been told."""

    options: Options
    value: Any = None
    error: BaseException | None = None
    heard: bytes = b""
    started_ns: int = 0
    code: int = EXIT_DONE


def run_batch(several: Sequence[Options], jobs: int, work: Work, progress: Progress) -> list[RunResult]:
    """Run the work for every options, `jobs` at a time; return the results in the order of the options.

    `progress` is called from several threads. Where the user interrupts, every process ends.
    """
    opened: list[Zygote] = []
    stopping = threading.Event()

    @contextlib.contextmanager
    def start_zygote(options: Options, output: int) -> Iterator[Zygote]:
        with Zygote(options.timeout, output, options.interpreter) as zygote:
            opened.append(zygote)
            if stopping.is_set():
                raise UserError("interrupted")  # nobody hears of it: all are being ended
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
            # End every process, so that the threads which wait for them end too.
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
