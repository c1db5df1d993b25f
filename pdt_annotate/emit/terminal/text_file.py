"""What people read on a terminal, as a file: for the log of a job, or the summary of a step."""

from __future__ import annotations

import io

from pdt_annotate.emit import check
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal.console import make_console
from pdt_annotate.emit.terminal.report import Report
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import SpecSource


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The report without colours, as UTF-8 bytes; places are those in the files as they are left."""
    options = Options(outcome.targets, SpecSource(), outcome.root, write_back=invocation.write_back, color=Color.NEVER)
    out = io.StringIO()
    report = Report(options)
    report.console = make_console(options, out)
    report.outcome(outcome, f"the same command with --mend {outcome.advised.level.value}" if outcome.advised else "")
    is_missing = outcome.changes and outcome.is_sound and invocation.write_back is WriteBack.CHECK
    report.closing(check(outcome, options, io.BytesIO()) if is_missing else "", outcome)
    return out.getvalue().encode("utf-8", "backslashreplace")
