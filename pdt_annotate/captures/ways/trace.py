"""`torch.jit.trace`: records the operators of one call; Python values and branches are baked in."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from pdt_annotate.captures.capturable import Capturable, Captured, as_module
from pdt_annotate.captures.unsound import suspects
from pdt_annotate.captures.unsound.lines import listening
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import sparing_imports


def capture_checked(subject: Capturable) -> Captured:
    """Trace the first call as torch does by default: twice, and refuse if the two traces differ."""
    return capture(subject, check=True)


def capture(subject: Capturable, *, check: bool = False) -> Captured:
    with listening(), sparing_imports():
        traced = trace(subject.callee, subject.first, check)
    return Captured(
        traced,
        lambda: (traced.inlined_graph,),
        holders=(traced,),
        findings=suspects.later(subject, trace),
        made_from=(subject.first.name,),
    )


def trace(callee: Callable[..., Any], call: Call, check: bool = False) -> Any:
    """A callee, traced from copies of the arguments of a call."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    module = as_module(callee)
    traces: Any = torch.jit.trace
    if not kwargs:
        return traces(module, args, check_trace=check)
    by_name = {**inspect.signature(module.forward).bind_partial(*args).arguments, **kwargs}
    return traces(module, example_kwarg_inputs=by_name, check_trace=check)  # it takes arguments of one kind alone
