"""The task that tells what a trace took for good from the call it was made from: at which lines, in which module."""

from __future__ import annotations

from pdt_annotate.captures.examine import as_called, subject_of
from pdt_annotate.captures.lies.suspects import Looking, Trace
from pdt_annotate.captures.reasons import reason_of
from pdt_annotate.captures.subject import Capturable
from pdt_annotate.captures.ways import trace, trace_adapted
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.captures import Baked, Baking

SECONDS = 30.0
"""The time for all further traces: what they would have shown later would count as mended."""


def find_baked(prepared: Prepared, *, adapted: bool, drawn: bool) -> Baking:
    """What a trace of the target would take for good.

    Raises:
        UserError: there is nothing to trace, or no call to trace it from.
    """
    subject = subject_of(prepared)
    try:
        with as_called(prepared, subject):
            tracing: Trace = trace_adapted.tracing(subject) if adapted else trace.trace
            return Baking(baked_into(subject, tracing, drawn=drawn))
    except Exception as error:  # whatever torch, or the user's code under it, raises
        return Baking(failure=reason_of(error, prepared.root))


def baked_into(subject: Capturable, tracing: Trace = trace.trace, *, drawn: bool = True) -> tuple[Baked, ...]:
    """The same of anything that can be captured.

    Raises:
        Exception: whatever torch, or the user's code under it, raises where the first call cannot be traced.
    """
    return tuple(Looking(subject, tracing, SECONDS).baked(drawn=drawn))
