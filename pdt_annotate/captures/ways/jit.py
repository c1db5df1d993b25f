"""`torch.jit`: a script is compiled from the source; a trace records the operators of one call.

A script has the branches and loops of the source. In a trace, Python values and branches are baked in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

import torch

from pdt_annotate.captures.capturable import Capturable, Captured, as_module
from pdt_annotate.captures.unsound import suspects
from pdt_annotate.captures.unsound.lines import listening
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import sparing_imports
from pdt_annotate.verify.judges.scripts import compile_methods


def capture_script(subject: Capturable) -> Captured:
    """Script a function or a module; of a method, its module with that method in addition to `forward`."""
    script: Any = torch.jit.script
    callee = subject.callee
    if not isinstance(callee, MethodType) or not isinstance(callee.__self__, torch.nn.Module):
        scripted = script(callee)
        return Captured(scripted, lambda: (scripted.inlined_graph,), holders=(scripted,))
    scripted = script(callee.__self__)
    compile_methods(scripted, callee.__self__, (callee.__name__,))
    method = getattr(scripted, callee.__name__)
    return Captured(method, lambda: (method.inlined_graph,), holders=(scripted,))


def capture(subject: Capturable, *, check: bool = False) -> Captured:
    """Trace the first call."""
    with listening(), sparing_imports():
        traced = trace(subject.callee, subject.first, check)
    return Captured(
        traced,
        lambda: (traced.inlined_graph,),
        holders=(traced,),
        findings=suspects.later(subject, trace),
        made_from=(subject.first.name,),
    )


# As torch does by default: it traces twice, and refuses if the two traces differ.
capture_checked = partial(capture, check=True)


def trace(callee: Callable[..., Any], call: Call, check: bool = False) -> Any:
    """A callee, traced from copies of the arguments of a call."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    module = as_module(callee)
    traces: Any = torch.jit.trace
    if not kwargs:
        return traces(module, args, check_trace=check)
    by_name = {**inspect.signature(module.forward).bind_partial(*args).arguments, **kwargs}
    return traces(module, example_kwarg_inputs=by_name, check_trace=check)  # it takes arguments of one kind alone
