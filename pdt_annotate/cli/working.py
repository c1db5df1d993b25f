"""What a command works with: the processes that run user code, the report, and what shows progress."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pdt_annotate.cli.ended import say, telling_documents
from pdt_annotate.settings.options import Options
from pdt_annotate.values.torch_releases import notice

if TYPE_CHECKING:
    from pdt_annotate.processes.zygote import Zygote


@contextlib.contextmanager
def working(options: Options) -> Iterator[tuple[Zygote, Any, Callable[[str], None]]]:
    """Yield the zygote, the report, and what shows progress.

    The zygote imports torch while this process imports rich; --help and usage errors need neither.
    """
    from pdt_annotate.flows import ahead  # noqa: PLC0415
    from pdt_annotate.processes.zygote import Zygote  # noqa: PLC0415

    with telling_documents([options]):
        ahead.check(options)
        tell_of_torch([options])
        with (
            Zygote(options.timeout, interpreter=options.interpreter) as zygote,
            reporting(options) as (report, progress),
        ):
            yield zygote, report, progress


_said: set[str] = set()


def tell_of_torch(several: Sequence[Options]) -> None:
    """Print once what torch says of TorchScript; the processes that run user code keep it to themselves."""
    heard = (each.interpreter for each in several if each.verbosity >= 0)
    for said in (notice(each.torch_version, each.version) for each in heard):
        if said and said not in _said:
            _said.add(said)
            say(f"note: {said}")


@contextlib.contextmanager
def reporting(options: Options) -> Iterator[tuple[Any, Callable[[str], None]]]:
    from pdt_annotate.emit.terminal.report import Report  # noqa: PLC0415

    report = Report(options)
    with report.progress() as progress:
        yield report, progress
