"""`torch.jit.trace` of a `TracingAdapter`: calls and results may be rich; all but their tensors is baked in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.captures.adapter import TracingAdapter
from pdt_annotate.captures.capturable import Capturable, Captured, definition_of
from pdt_annotate.captures.flattened import signature_of
from pdt_annotate.captures.unsound import suspects
from pdt_annotate.captures.unsound.lines import listening
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding
from pdt_annotate.verify.judges.clones import clone

LISTED = 4  # so many values at most are named


@dataclass(frozen=True)
class Adapted:
    """A trace that is called as the model is."""

    adapter: TracingAdapter
    traced: Any
    run: Callable[..., Any]

    @property
    def inlined_graph(self) -> Any:
        return self.traced.inlined_graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.run(*args, **kwargs)


def capture(subject: Capturable) -> Captured:
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


def tracing(subject: Capturable) -> Callable[[Any, Call], Adapted]:
    """A function that traces a callee like that of a subject; its results have the structure of the first call's."""
    args, kwargs = clone((subject.first.args, dict(subject.first.kwargs)))
    result = subject.renew()(*args, **kwargs)

    def trace(callee: Any, call: Call) -> Adapted:
        adapter = TracingAdapter(callee, *clone((call.args, dict(call.kwargs))), result=result)
        traced: Any = torch.jit.trace(adapter, adapter.inputs, check_trace=False)  # type: ignore[no-untyped-call]
        return Adapted(adapter, traced, adapter.wrap(traced))

    return trace


def _baked(subject: Capturable, adapter: TracingAdapter) -> Iterator[Finding]:
    """The parts of the call that the trace has baked in, except for defaults."""
    given = signature_of(subject.callee).bind(*subject.first.args, **subject.first.kwargs).arguments
    passed = [
        str(each) for each in adapter.baked_in if not each.is_result and re.split(r"[.\[]", each.path)[0] in given
    ]
    came_back = [str(each) for each in adapter.baked_in if each.is_result and each.value is not None]
    for texts, where, advice in (
        (passed, "of the arguments", "; the adapter refuses others, the trace by itself does not"),
        (came_back, "of the result, whatever is passed", ""),
    ):
        if texts:
            more = [f"and {len(texts) - LISTED} more"] if len(texts) > LISTED else []
            message = f"baked in {where}: {', '.join([*texts[:LISTED], *more])}{advice}"
            yield Finding(suspects.OTHERS, message, definition_of(subject.callee))
