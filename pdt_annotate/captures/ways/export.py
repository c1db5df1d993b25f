"""`torch.export`: runs the program once with fake tensors, and refuses calls that do not fit its assumptions."""

from __future__ import annotations

import inspect
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
    return _capture(subject.callee, subject.first, free=False)


def capture_dynamic(subject: Capturable) -> Captured:
    """Export with every size and whole number free that the program leaves free.

    From the call like the first that has the fewest sizes of 0 and 1, which torch takes for fixed.
    """

    def count_fixed(call: Call) -> int:
        leaves = pytree.tree_leaves((call.args, dict(call.kwargs)))
        return sum(size in (0, 1) for leaf in leaves if isinstance(leaf, torch.Tensor) for size in leaf.shape)

    structures = [pytree.tree_structure((call.args, dict(call.kwargs))) for call in subject.calls]
    alike = [call for call, each in zip(subject.calls, structures, strict=True) if each == structures[0]]
    return _capture(subject.callee, min(alike, key=count_fixed), free=True)


def _capture(callee: Any, call: Call, *, free: bool) -> Captured:
    args, kwargs = clone((call.args, dict(call.kwargs)))
    module = as_module(callee)
    shapes = None
    if free:
        passed = inspect.signature(module.forward).bind(*args, **kwargs).arguments
        shapes = {name: pytree.tree_map(_mark, value) for name, value in passed.items()}
    program = export(module, args, kwargs, dynamic_shapes=shapes)
    run = program.module()
    return Captured(run, lambda: (program.graph,), holders=(run,), made_from=(call.name,))


def _mark(leaf: Any) -> Any:
    """A mark for each size of a tensor, and for a whole number itself."""
    if isinstance(leaf, torch.Tensor):
        return dict.fromkeys(range(leaf.dim()), Dim.AUTO)
    return Dim.AUTO if type(leaf) is int and release_of(torch.__version__) >= FREE_INTS else None
