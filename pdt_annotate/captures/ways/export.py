"""`torch.export`: runs the program once with fake tensors, and refuses calls that do not fit its assumptions."""

import inspect
from functools import partial
from operator import itemgetter
from typing import Any

import torch
from torch.export import Dim, export
from torch.utils import _pytree as pytree

from pdt_annotate.captures.capturable import Capturable, Captured, as_module
from pdt_annotate.values.runs import Call
from pdt_annotate.values.torch_releases import FREE_INTS, release_of
from pdt_annotate.verify.judges.clones import clone


def capture(subject: Capturable, *, free: bool = False) -> Captured:
    """Export with the sizes of a call, or `free`."""
    program, call = exported(subject, free=free)
    run = program.module()
    return Captured(run, lambda: (program.graph,), holders=(run,), made_from=(call.name,))


capture_dynamic = partial(capture, free=True)


def _most_general(subject: Capturable) -> Call:
    """The call like the first that has the fewest sizes of 0 and 1, which torch takes for fixed."""
    alike: list[tuple[int, Call]] = []
    structure = pytree.tree_structure((subject.first.args, dict(subject.first.kwargs)))
    for call in subject.calls:
        leaves, its_structure = pytree.tree_flatten((call.args, dict(call.kwargs)))
        if its_structure == structure:
            sizes = [size for leaf in leaves if isinstance(leaf, torch.Tensor) for size in leaf.shape]
            alike.append((sum(size in (0, 1) for size in sizes), call))
    return min(alike, key=itemgetter(0))[1]


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
