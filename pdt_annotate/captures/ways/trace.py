"""`torch.jit.trace`: records the operators of one call; what was Python in it is baked in."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from pdt_annotate.captures.lies import suspects
from pdt_annotate.captures.lies.warned import listening
from pdt_annotate.captures.subject import Capturable, Captured
from pdt_annotate.processes.child.prepared import in_mode
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone


def capture(subject: Capturable) -> Captured:
    first = subject.calls[0]
    with listening(), in_mode(subject.callee, first.mode):
        traced = trace(subject.callee, first)
    return Captured(
        traced,
        lambda: (traced.inlined_graph,),
        holders=(traced,),
        findings=lambda: suspects.find(subject, trace),
    )


def trace(callee: Callable[..., Any], call: Call) -> Any:
    """A callee, traced from copies of the arguments of a call."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    trace: Any = torch.jit.trace
    if not kwargs:
        return trace(callee, args, check_trace=False)
    function = callee.forward if isinstance(callee, torch.nn.Module) else callee
    by_name = inspect.signature(function).bind(*args, **kwargs).arguments  # the tracer takes one kind or the other
    return trace(callee, example_kwarg_inputs=by_name, check_trace=False)
