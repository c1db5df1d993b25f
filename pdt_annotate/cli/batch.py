"""Several runs, some at a time, each in processes of its own; one that fails leaves the others alone."""

from __future__ import annotations

import contextlib
import tempfile
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


class Batch:
    """Runs the work for every options, `jobs` at a time.

    Args:
        jobs: how many at a time, at least one.
        progress: told what is being done; from several threads.
    """

    def __init__(self, jobs: int, progress: Progress) -> None:
        self.jobs = jobs
        self.progress = progress
        self._open: list[Zygote] = []
        self._stopping = False

    def run(self, several: Sequence[Options], work: Work) -> list[RunResult]:
        """The results in the order of the options.

        Raises:
            KeyboardInterrupt: the user interrupts; every process has ended then.
        """
        started = time.time_ns()
        with contextlib.ExitStack() as stack:
            outputs = [stack.enter_context(tempfile.TemporaryFile()) for _ in several]
            pool = stack.enter_context(ThreadPoolExecutor(self.jobs))
            futures = [
                pool.submit(work, each, partial(self._zygote, each, output.fileno()), partial(self._tell, each))
                for each, output in zip(several, outputs, strict=True)
            ]
            try:
                wait(futures)
            except BaseException:
                # End every process, so that the threads which wait for them end too.
                self._stopping = True
                for future in futures:
                    future.cancel()
                for zygote in list(self._open):
                    zygote.interrupt()
                raise
            results = []
            for options, future, output in zip(several, futures, outputs, strict=True):
                output.seek(0)
                error = future.exception()
                value = future.result() if error is None else None
                results.append(RunResult(options, value, error, output.read(), started))
            return results

    def _tell(self, options: Options, text: str) -> None:
        self.progress(f"{options.name}: {text}")

    @contextlib.contextmanager
    def _zygote(self, options: Options, output: int) -> Iterator[Zygote]:
        with Zygote(options.timeout, output, options.interpreter) as zygote:
            self._open.append(zygote)
            if self._stopping:
                raise UserError("interrupted")  # nobody hears of it: all are being ended
            yield zygote
