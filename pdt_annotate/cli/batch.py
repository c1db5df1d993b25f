"""Several runs, some at a time, each in processes of its own; one that fails leaves the others alone."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.progress import Progress

T = TypeVar("T")

Zygotes = Callable[[], contextlib.AbstractContextManager[Zygote]]
"""Starts the processes that a run's code is run in."""

Work = Callable[[Options, Zygotes, Progress], T]


@dataclass(frozen=True)
class RunResult(Generic[T]):
    """How one run ended, with a value or an error; what its user code printed; and when it began, or before."""

    options: Options
    value: T | None = None
    error: BaseException | None = None
    heard: bytes = b""
    started_ns: int = 0


class Stopped(UserError):
    """The run was not begun, because all are being ended."""


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

    def run(self, several: Sequence[Options], work: Work[T]) -> list[RunResult[T]]:
        """The results in the order of the options.

        Raises:
            KeyboardInterrupt: the user interrupts; every process has ended then.
        """
        started = time.time_ns()
        with contextlib.ExitStack() as stack:
            outputs = [stack.enter_context(tempfile.TemporaryFile()) for _ in several]
            pool = stack.enter_context(ThreadPoolExecutor(self.jobs))
            each = zip(several, outputs, strict=True)
            futures = [pool.submit(self._run_one, options, work, output.fileno()) for options, output in each]
            try:
                wait(futures)
            except BaseException:
                self._stop(futures)
                raise
            return [_result(*parts, started) for parts in zip(several, futures, outputs, strict=True)]

    def _run_one(self, options: Options, work: Work[T], output: int) -> T:
        return work(
            options,
            lambda: self._zygote(options, output),
            lambda text: self.progress(f"{options.name}: {text}"),
        )

    @contextlib.contextmanager
    def _zygote(self, options: Options, output: int) -> Iterator[Zygote]:
        with Zygote(options.timeout, output, options.interpreter) as zygote:
            self._open.append(zygote)
            if self._stopping:
                raise Stopped("interrupted")
            yield zygote

    def _stop(self, futures: Sequence[Future[Any]]) -> None:
        """End every process, so that the threads which wait for them end too."""
        self._stopping = True
        for future in futures:
            future.cancel()
        for zygote in list(self._open):
            zygote.interrupt()


def _result(options: Options, future: Future[T], output: IO[bytes], started: int) -> RunResult[T]:
    output.seek(0)
    heard, error = output.read(), future.exception()
    return RunResult(options, future.result() if error is None else None, error, heard, started)
