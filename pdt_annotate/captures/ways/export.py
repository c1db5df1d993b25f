"""`torch.export`: runs the program once with fake tensors, and refuses calls that do not fit its assumptions."""

import inspect
from operator import itemgetter
from typing import Any

import torch
from torch.export import Dim, export
from torch.utils import _pytree as pytree

from pdt_annotate.captures.capturable import Capturable, Captured, as_module
from pdt_annotate.values.runs import Call
from pdt_annotate.values.torch_releases import FREE_INTS, release_of
from pdt_annotate.verify.judges.clones import clone


def capture(subject: Capturable) -> Captured:
    """Export with the sizes of the first call."""
    return _captured(export_fixed(subject), subject.first)


def capture_dynamic(subject: Capturable) -> Captured:
    """Export with every size and whole number free that the program leaves free."""
    call = most_general(subject)
    return _captured(_export(subject.callee, call, free=True), call)


def _captured(program: Any, call: Call) -> Captured:
    run = program.module()
    return Captured(run, lambda: (program.graph,), holders=(run,), made_from=(call.name,))


def export_fixed(subject: Capturable) -> Any:
    """The `ExportedProgram` of the first call."""
    return _export(subject.callee, subject.first, free=False)


def export_free(subject: Capturable) -> Any:
    """The `ExportedProgram` of the most general call, with free sizes and whole numbers."""
    return _export(subject.callee, most_general(subject), free=True)


def most_general(subject: Capturable) -> Call:
    """The call like the first that has the fewest sizes of 0 and 1, which torch takes for fixed."""
    alike: list[tuple[int, Call]] = []
    structure = pytree.tree_structure((subject.first.args, dict(subject.first.kwargs)))
    for call in subject.calls:
        leaves, its_structure = pytree.tree_flatten((call.args, dict(call.kwargs)))
        if its_structure == structure:
            sizes = [size for leaf in leaves if isinstance(leaf, torch.Tensor) for size in leaf.shape]
            alike.append((sum(size in (0, 1) for size in sizes), call))
    return min(alike, key=itemgetter(0))[1]


def _export(callee: Any, call: Call, *, free: bool) -> Any:
    args, kwargs = clone((call.args, dict(call.kwargs)))
    module = as_module(callee, kwargs if free else ())
    shapes = None
    if free:
        passed = inspect.signature(module.forward).bind(*args, **kwargs).arguments
        shapes = {name: pytree.tree_map(_mark, value) for name, value in passed.items()}
    return export(module, args, kwargs, dynamic_shapes=shapes)


def _mark(leaf: Any) -> Any:
    """A mark for each size of a tensor, and for a whole number itself."""
    if isinstance(leaf, torch.Tensor):
        return dict.fromkeys(range(leaf.dim()), Dim.AUTO)
    return Dim.AUTO if type(leaf) is int and release_of(torch.__version__) >= FREE_INTS else None
