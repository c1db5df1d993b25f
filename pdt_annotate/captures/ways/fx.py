"""`torch.fx.symbolic_trace`, `make_fx` and `torch.export`: the Python code runs once, and is recorded as a graph.

The first passes proxies for the arguments, and refuses to branch on them. The second records the operators of one call
below autograd; Python values and branches are baked in. The third passes fake tensors, and refuses calls that do not
fit its assumptions.
"""

import inspect
from functools import partial
from typing import Any

import torch.fx
from torch.export import Dim, export
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from pdt_annotate.captures.capturable import Capturable, Captured, as_module
from pdt_annotate.findings.messages.capture_refusals import OTHER_SHAPE
from pdt_annotate.values.runs import Call
from pdt_annotate.values.torch_releases import FREE_INTS, release_of
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


def capture_export(subject: Capturable, *, free: bool = False) -> Captured:
    """Export with the sizes of a call, or `free`."""
    program, call = exported(subject, free=free)
    run = program.module()
    return Captured(run, lambda: (program.graph,), holders=(run,), made_from=(call.name,))


capture_dynamic = partial(capture_export, free=True)


def _most_general(subject: Capturable) -> Call:
    """The call like the first that has the fewest sizes of 0 and 1, which torch takes for fixed."""

    def count_fixed(call: Call) -> int:
        leaves = pytree.tree_leaves((call.args, dict(call.kwargs)))
        return sum(size in (0, 1) for leaf in leaves if isinstance(leaf, torch.Tensor) for size in leaf.shape)

    structures = [pytree.tree_structure((call.args, dict(call.kwargs))) for call in subject.calls]
    alike = (call for call, each in zip(subject.calls, structures, strict=True) if each == structures[0])
    return min(alike, key=count_fixed)


def exported(subject: Capturable, *, free: bool) -> tuple[Any, Call]:
    """The `ExportedProgram` of the first call, or of the most general one with free sizes and whole numbers."""
    call = _most_general(subject) if free else subject.first
    args, kwargs = clone((call.args, dict(call.kwargs)))
    module = as_module(subject.callee, kwargs if free else ())
    shapes = None
    if free:
        passed = inspect.signature(module.forward).bind(*args, **kwargs).arguments
        shapes = {name: pytree.tree_map(_mark, value) for name, value in passed.items()}
    return export(module, args, kwargs, dynamic_shapes=shapes), call


def _mark(leaf: Any) -> Any:
    """A mark for each size of a tensor, and for a whole number itself."""
    if isinstance(leaf, torch.Tensor):
        return dict.fromkeys(range(leaf.dim()), Dim.AUTO)
    return Dim.AUTO if type(leaf) is int and release_of(torch.__version__) >= FREE_INTS else None
