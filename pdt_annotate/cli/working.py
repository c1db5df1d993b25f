"""What a command works with: the processes that run user code, the report, and what tells of progress."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options


@contextlib.contextmanager
def working(options: Options) -> Iterator[tuple[Zygote, Any, Callable[[str], None]]]:
    """The zygote, the report, and what to tell of progress.

    The zygote imports torch while this process imports rich; --help and usage errors need neither.
    """
    from pdt_annotate.flows import ahead  # noqa: PLC0415

    ahead.check(options)
    with Zygote(options.timeout, interpreter=options.interpreter) as zygote, reporting(options) as (report, progress):
        yield zygote, report, progress


@contextlib.contextmanager
def reporting(options: Options) -> Iterator[tuple[Any, Callable[[str], None]]]:
    """The report, and what to tell of progress."""
    from pdt_annotate.emit.terminal.report import Report  # noqa: PLC0415

    report = Report(options)
    with report.progress() as progress:
        yield report, progress
