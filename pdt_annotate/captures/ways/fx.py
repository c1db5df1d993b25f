"""`torch.fx.symbolic_trace`: runs the Python code with proxies for the arguments, and refuses to branch on them."""

from __future__ import annotations

import torch.fx

from pdt_annotate.captures.capturable import Capturable, Captured, as_module


def capture(subject: Capturable) -> Captured:
    """Trace symbolically, from no call at all, and note the lines that nodes come from."""
    tracer = torch.fx.Tracer()
    tracer.record_stack_traces = True
    module = as_module(subject.callee)
    traced = torch.fx.GraphModule(module, tracer.trace(module), type(module).__name__)
    return Captured(traced, lambda: (traced.graph,), holders=(traced,))
