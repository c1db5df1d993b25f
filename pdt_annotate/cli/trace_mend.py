"""`pdt-annotate captures --emit trace-mend`: the diff with which `torch.jit.trace` answers right."""

from __future__ import annotations

import sys
from typing import Any

from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import Options
from pdt_annotate.values.exits import EXIT_DONE, EXIT_MISSING
from pdt_annotate.values.outcome import Outcome


def emit_trace_mends(options: Options) -> int:
    """Print the changes that each target needs as a diff; 1 where one needs some, and there are none that verify."""
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows.trace_mend import mend_trace  # noqa: PLC0415

        done = [mend_trace(options, zygote, target, progress, options.budget) for target in options.targets]
    return max(_present(outcome, options, report) for outcome in done)


def _present(outcome: Outcome, options: Options, report: Any) -> int:
    from pdt_annotate.emit.files import diff, write_document  # noqa: PLC0415

    report.outcome(outcome)
    told = "nothing need be compiled while tracing" if outcome.verified else "nothing makes a trace answer right"
    if outcome.changes and options.output:
        write_document(options.output, diff.render(outcome))
        told = f"wrote {options.output}"
    elif outcome.changes:
        told = diff.emit(outcome, options, sys.stdout.buffer)
    report.closing(told, outcome)
    return EXIT_DONE if outcome.verified else EXIT_MISSING
