"""`torch.fx.symbolic_trace` and `make_fx`: the Python code runs once, and what it does is recorded as a graph.

The first passes proxies for the arguments, and refuses to branch on them. The second records the operators of one call
below autograd; Python values and branches are baked in.
"""

from typing import Any

import torch.fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from pdt_annotate.captures.capturable import Capturable, Captured, as_module
from pdt_annotate.findings.messages.capture_refusals import OTHER_SHAPE
from pdt_annotate.verify.judges.clones import clone


def capture(subject: Capturable) -> Captured:
    """Trace symbolically, from no call at all, and note the lines that nodes come from."""
    tracer = torch.fx.Tracer()
    tracer.record_stack_traces = True
    module = as_module(subject.callee)
    traced = torch.fx.GraphModule(module, tracer.trace(module), type(module).__name__)
    return Captured(traced, lambda: (traced.graph,), holders=(traced,))


def capture_made(subject: Capturable) -> Captured:
    """Record the first call, whose arguments are handed over flat: it takes no keywords."""
    args, kwargs = clone((subject.first.args, dict(subject.first.kwargs)))
    leaves, shape = pytree.tree_flatten((args, dict(sorted(kwargs.items()))))

    def call(*leaves: Any) -> Any:
        args, kwargs = pytree.tree_unflatten(leaves, shape)
        return subject.callee(*args, **kwargs)

    recorded = make_fx(call)(*leaves)

    def run(*args: Any, **kwargs: Any) -> Any:
        given, its_shape = pytree.tree_flatten((args, dict(sorted(kwargs.items()))))
        if its_shape != shape:
            raise TypeError(OTHER_SHAPE)
        return recorded(*given)

    return Captured(run, lambda: (recorded.graph,), holders=(subject.callee,), made_from=(subject.first.name,))
