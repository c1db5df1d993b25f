"""`torch.jit.trace`: records the operators of one call; what was Python in it is baked in."""

from __future__ import annotations

from typing import Any

import torch

from pdt_annotate.captures.subject import Capturable, Captured
from pdt_annotate.captures.wrapping import as_module
from pdt_annotate.verify.judges.clones import clone


def capture(subject: Capturable) -> Captured:
    """Trace the first call."""
    first = subject.first
    args, kwargs = clone((first.args, dict(first.kwargs)))
    trace: Any = torch.jit.trace
    traced = trace(as_module(subject.callee), args, example_kwarg_inputs=kwargs or None, check_trace=False)
    return Captured(traced, lambda: (traced.inlined_graph,), holders=(traced,), made_from=(first.name,))
