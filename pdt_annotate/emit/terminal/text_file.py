"""What people read on a terminal, as a file: for the log of a job, or the summary of a step."""

from __future__ import annotations

import io

from pdt_annotate.emit.terminal.console import make_console
from pdt_annotate.emit.terminal.report import Report
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import SpecSource


def render(outcome: Outcome, write_back: WriteBack) -> bytes:
    """The report without colours, as UTF-8 bytes; places are those in the files as they are left."""
    options = Options(outcome.targets, SpecSource(), outcome.root, write_back=write_back, color=Color.NEVER)
    out = io.StringIO()
    report = Report(options)
    report.console = make_console(options, out)
    report.outcome(outcome)
    report.closing("", outcome)
    return out.getvalue().encode("utf-8", "backslashreplace")
