"""A call with rich arguments and a rich result, for the tracer: what of it are tensors, and what is baked in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any

import torch

from pdt_annotate.captures.flattened import Flattened, arguments_of, is_tensor, leaves_of, put_together
from pdt_annotate.captures.wrapping import as_module
from pdt_annotate.values.errors import TraceError
from pdt_annotate.verify.judges.clones import clone

RESULT = "the result"
NUMBERS = (bool, int, float)

TRACE_FIRST = "trace it first, or call it, or give it `result=`, an answer of the module"


def as_held(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a module that is traced holds of a callee: of a method, its module, so that parameters are parameters."""
    is_method = isinstance(function, MethodType) and isinstance(function.__self__, torch.nn.Module)
    return as_module(function) if is_method else function


class RichCall:
    """A call and its result, taken apart into tensors and the rest, and put together again of other tensors.

    Args:
        eager: the result in eager mode, once it is known.
        traced: that of the result in the last trace.
    """

    eager: Flattened | None = None
    traced: Flattened | None = None

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.bound = arguments_of(function, args, kwargs)
        self.passed = Flattened.of(self.bound.arguments)
        self.inputs = tuple(leaf for _, leaf in leaves_of(clone(dict(self.bound.arguments))) if is_tensor(leaf))
        if not self.inputs:
            raise TraceError("no tensor is passed, so there is nothing to trace from")

    @property
    def result(self) -> Flattened | None:
        return self.traced or self.eager

    @property
    def sized(self) -> dict[str, type]:
        """The paths of numbers that are tensors to the tracer, since it makes them of sizes, with their types."""
        if not (self.traced and self.eager):
            return {}
        types = {path: type(self.eager.others.get(path)) for path in self.traced.tensors}
        return {path: each for path, each in types.items() if each in NUMBERS}

    def run(self, function: Callable[..., Any], tensors: Sequence[Any]) -> tuple[torch.Tensor, ...]:
        """Make the call with other tensors.

        Returns:
            the tensors of its result, and numbers that a trace makes of sizes.
        """
        arguments: Any = put_together(self.passed, tensors)
        bound = inspect.BoundArguments(self.bound.signature, arguments)
        return self._note(function(*bound.args, **bound.kwargs))

    def _note(self, result: Any) -> tuple[torch.Tensor, ...]:
        flat = Flattened.of({RESULT: result})
        if torch._C._get_tracing_state() is not None:
            self.traced = flat
        else:
            self.eager = flat
        sized = self.sized
        leaves = [leaf for path, leaf in leaves_of({RESULT: result}) if is_tensor(leaf) or path in sized]
        if not leaves:
            raise TraceError("the result holds no tensor, so there is nothing to trace")
        return tuple(leaf if is_tensor(leaf) else torch.tensor(leaf) for leaf in leaves)

    def rebuild(self, outputs: Sequence[torch.Tensor]) -> Any:
        """The result, put together of other tensors.

        Raises:
            TraceError: nobody has seen a result yet.
        """
        if self.result is None:
            raise TraceError("the adapter does not know what a result is like", hint=TRACE_FIRST)
        sized = self.sized
        pairs = zip(self.result.tensors, outputs, strict=True)
        leaves = [sized[path](each.item()) if path in sized else each for path, each in pairs]
        return put_together(self.result, leaves)[RESULT]
