"""`torch.jit`: a script is compiled from the source; a trace records the operators of one call.

A script has the branches and loops of the source. In a trace, Python values and branches are baked in; the calls and
results of an adapted trace may be rich.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from pdt_annotate.captures.adapter import TracingAdapter
from pdt_annotate.captures.capturable import Capturable, Captured, as_module, definition_of, module_of
from pdt_annotate.captures.flattened import signature_of
from pdt_annotate.captures.sizes import sizes_as_numbers
from pdt_annotate.captures.unsound import suspects
from pdt_annotate.captures.unsound.lines import listening
from pdt_annotate.processes.child.prepared import NOTHING
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import sparing_imports
from pdt_annotate.verify.judges.scripts import compile_methods

LISTED = 4  # so many values at most are named


def capture_script(subject: Capturable) -> Captured:
    """Script a function or a module; of a method, its module with that method in addition to `forward`."""
    callee, module = subject.callee, module_of(subject.callee)
    scripted = run = torch.jit.script(callee if module is None else module)
    if module is not None and module is not callee:
        compile_methods(scripted, module, (callee.__name__,))
        run = getattr(scripted, callee.__name__)
    return Captured(run, lambda: (run.inlined_graph,), holders=(scripted,))


def capture(subject: Capturable, *, check: bool = False, for_file: bool = False) -> Captured:
    """Trace the first call."""
    first, find = subject.first, suspects.later(subject, trace)
    with listening(), sparing_imports():
        traced = trace(subject.callee, first, check=check, for_file=for_file)
    return Captured(traced, lambda: (traced.inlined_graph,), holders=(traced,), findings=find, made_from=(first.name,))


# As torch does by default: it traces twice, and refuses if the two traces differ.
capture_checked = partial(capture, check=True)


def trace(callee: Callable[..., Any], call: Call, *, check: bool = False, for_file: bool = False) -> Any:
    """A callee, traced from copies of the arguments of a call; for a file, sizes stay variable as numbers."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    module = as_module(callee, kwargs)
    with sizes_as_numbers(callee) if for_file else NOTHING:
        if not kwargs:
            return torch.jit.trace(module, args, check_trace=check)
        by_name = {**signature_of(module).bind_partial(*args).arguments, **kwargs}
        # It takes arguments of one kind alone.
        return torch.jit.trace(module, example_kwarg_inputs=by_name, check_trace=check)


trace_for_file = partial(trace, for_file=True)


@dataclass(frozen=True)
class Adapted:
    """A trace that is called as the model is."""

    adapter: TracingAdapter
    traced: Any

    @property
    def inlined_graph(self) -> Any:
        return self.traced.inlined_graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.adapter.wrap(self.traced)(*args, **kwargs)


def capture_adapted(subject: Capturable) -> Captured:
    """Trace the first call through an adapter, after a call in eager mode that shows the structure of results."""
    trace = tracing(subject)
    suspected = suspects.later(subject, trace)
    with listening():
        adapted = trace(subject.callee, subject.first)
    return Captured(
        adapted,
        lambda: (adapted.inlined_graph,),
        holders=(adapted.traced,),
        findings=lambda: (*suspected(), *_baked(subject, adapted.adapter)),
        made_from=(subject.first.name,),
    )


def tracing(subject: Capturable, *, for_file: bool = False) -> Callable[[Any, Call], Adapted]:
    """A function that traces a callee like that of a subject; its results have the structure of the first call's."""
    args, kwargs = clone((subject.first.args, dict(subject.first.kwargs)))
    result = subject.renew()(*args, **kwargs)

    def trace(callee: Any, call: Call) -> Adapted:
        adapter = TracingAdapter(callee, *clone((call.args, dict(call.kwargs))), result=result)
        with sizes_as_numbers(callee) if for_file else NOTHING:
            return Adapted(adapter, torch.jit.trace(adapter, adapter.inputs, check_trace=False))

    return trace


def _baked(subject: Capturable, adapter: TracingAdapter) -> Iterator[Finding]:
    """The parts of the call that the trace has baked in, except for defaults."""
    given = signature_of(subject.callee).bind(*subject.first.args, **subject.first.kwargs).arguments
    arguments = (each for each in adapter.baked_in if not each.is_result)
    passed = [str(each) for each in arguments if re.split(r"[.\[]", each.path)[0] in given]
    came_back = [str(each) for each in adapter.baked_in if each.is_result and each.value is not None]
    for texts, what, advice in (
        (passed, "arguments", "; the adapter raises an error for other values, a plain trace does not"),
        (came_back, "parts of the result", "; they are the same for all arguments"),
    ):
        if texts:
            more = [f"and {len(texts) - LISTED} more"] if len(texts) > LISTED else []
            message = f"{what} that are baked into the trace: {', '.join([*texts[:LISTED], *more])}{advice}"
            yield Finding(suspects.OTHERS, message, definition_of(subject.callee))
