"""Would a trace do in place of a script? Only where it answers like eager on inputs that it has not seen, too."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.answers import clone, compare


def traces_alike(given: tuple[torch.nn.Module, Sequence[Call]]) -> bool:
    """Whether a trace of the first recorded call answers like the module on all of them, and on others of their shape.

    A value that the trace has baked in shows on the others; a warning of the tracer says that there may be one.

    Args:
        given: the module and its recorded calls.
    """
    module, calls = given
    if any(call.kwargs or not all(isinstance(arg, torch.Tensor) for arg in call.args) for call in calls):
        return False
    jit: Any = torch.jit
    eager = copy.deepcopy(module)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("error", jit.TracerWarning)
            traced = jit.trace(module, clone(calls[0].args), check_trace=False)
            for args in _inputs(calls):
                compare(eager(*clone(args)), traced(*clone(args)))
    except Exception:  # the tracer's, the module's own, or a difference
        return False
    return True


def _inputs(calls: Sequence[Call]) -> Iterator[tuple[Any, ...]]:
    """The recorded arguments in their order, then others like them."""
    yield from (call.args for call in calls)
    yield from (tuple(_other(arg) for arg in call.args) for call in calls)


def _other(value: torch.Tensor) -> torch.Tensor:
    """A tensor of the same shape; integers, which may be indices, stay."""
    return torch.randn_like(value) if value.dtype.is_floating_point else value
