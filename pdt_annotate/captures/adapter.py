"""`TracingAdapter` takes and returns tensors alone, so that a model with rich arguments and results can be traced.

    adapter = TracingAdapter(model, args, kwargs)
    traced = torch.jit.trace(adapter, adapter.inputs)
    run = adapter.wrap(traced)  # run(*args, **kwargs) answers as the model does
    adapter.baked_in  # the values of its own call that the trace keeps

Rich are dicts, lists, named tuples, all that `torch.utils._pytree` knows, None, numbers and texts.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.captures.capturable import as_module, module_of
from pdt_annotate.captures.flattened import Flattened, arguments_of, is_tensor, put_together
from pdt_annotate.values.errors import TraceError
from pdt_annotate.verify.judges.clones import clone, leaves_of

UNKNOWN = object()
RESULT = "the result"
AGAIN = "make another trace for this call; pdt_annotate.merge_traces combines traces of calls that differ in a flag"
TRACE_FIRST = "first trace or call the adapter, or construct it with `result=`, a result of the module"


def as_held(function: Callable[..., Any]) -> Callable[..., Any]:
    """The part of a callee that a traced module holds: for a method its module, so that parameters stay parameters."""
    return function if module_of(function) in (None, function) else as_module(function)


class RichCall:
    """A call and its result, separated into tensors and the rest."""

    eager: Flattened | None = None  # the result in eager mode, once it is known
    traced: Flattened | None = None  # the result in the last trace

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.bound = arguments_of(function, args, kwargs)
        self.passed = Flattened.of(self.bound.arguments)
        self.inputs = tuple(leaf for _, leaf in leaves_of(clone(dict(self.bound.arguments))) if is_tensor(leaf))
        if not self.inputs:
            raise TraceError("the call passes no tensor, so there is nothing to trace")

    @property
    def result(self) -> Flattened | None:
        return self.traced or self.eager

    @property
    def sized(self) -> dict[str, type]:
        """The paths of numbers that are tensors to the tracer, since it makes them of sizes, with their types."""
        if not (self.traced and self.eager):
            return {}
        types = {path: type(self.eager.others.get(path)) for path in self.traced.tensors}
        return {path: each for path, each in types.items() if each in (bool, int, float)}

    def run(self, function: Callable[..., Any], tensors: Sequence[Any]) -> tuple[torch.Tensor, ...]:
        """Make the call with other tensors; returns those of its result (`tensors_in`)."""
        bound = inspect.BoundArguments(self.bound.signature, put_together(self.passed, tensors))
        result = function(*bound.args, **bound.kwargs)
        if torch.jit.is_tracing():
            self.traced = Flattened.of({RESULT: result})
        else:
            self.eager = Flattened.of({RESULT: result})
        tensors = self.tensors_in(result)
        if not tensors:
            raise TraceError("the result contains no tensor, so there is nothing to trace")
        return tensors

    def tensors_in(self, result: Any) -> tuple[torch.Tensor, ...]:
        """The tensors of a result, and of its numbers that a trace makes of sizes."""
        sized = self.sized
        leaves = (leaf for path, leaf in leaves_of({RESULT: result}) if is_tensor(leaf) or path in sized)
        return tuple(leaf if is_tensor(leaf) else torch.tensor(leaf) for leaf in leaves)


@dataclass(frozen=True)
class BakedIn:
    """A value other than a tensor, which a trace keeps from its own call."""

    path: str  # its path: "n", "options['mode']", "the result['count']"
    value: Any  # the value in that call
    is_result: bool = False  # it was in the result, and not in the arguments

    def __str__(self) -> str:
        return f"{self.path} = {self.value!r}"


class TracingAdapter(torch.nn.Module):
    """A module that takes the tensors of a call, makes the call with all other arguments unchanged, and returns the
    tensors of the result.

    Args:
        module: a module, a method of one or a function.
        args: the positional arguments of the call.
        kwargs: its keyword arguments.
        result: the module's result in eager mode, if known. The tracer records a number that is computed from a size as
            a tensor; with this result, or after a run of the adapter in eager mode, it is returned as a number.

    Raises:
        TypeError: the arguments do not fit the module.
        TraceError: the call passes no tensor, or a tensor in an object that pytree does not know.
    """

    __jit_unused_properties__ = ("baked_in", "inputs")  # or torch would compile them

    def __init__(
        self,
        module: Callable[..., Any],
        args: Any = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        result: Any = UNKNOWN,
    ) -> None:
        super().__init__()
        self.module = as_held(module)
        self._rich = RichCall(module, (args,) if is_tensor(args) else tuple(args), kwargs or {})
        if result is not UNKNOWN:
            self._rich.eager = Flattened.of({RESULT: result})

    @property
    def inputs(self) -> tuple[torch.Tensor, ...]:
        """Copies of the tensors of the call, to trace from."""
        return self._rich.inputs

    @property
    def baked_in(self) -> tuple[BakedIn, ...]:
        """All values that are no tensors: the arguments, defaults included, and once the module has run, the result."""
        result = self._rich.result.others if self._rich.result else {}
        return (
            *(BakedIn(path, value) for path, value in self._rich.passed.others.items()),
            *(BakedIn(path, value, is_result=True) for path, value in result.items()),
        )

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self._rich.run(self.module, tensors)

    def flatten(self, *args: Any, **kwargs: Any) -> tuple[torch.Tensor, ...]:
        """The tensors of a call, as `forward` takes them; raises `TypeError` if the arguments do not fit the module.

        Raises `TraceError` if the call differs from this adapter's in more than tensors.
        """
        passed = arguments_of(self.module, args, kwargs).arguments
        difference = self._rich.passed.difference(Flattened.of(passed))
        if difference:
            raise TraceError(f"this trace was made from another call: {difference}", hint=AGAIN)
        return tuple(leaf for _, leaf in leaves_of(passed) if is_tensor(leaf))

    def flatten_result(self, result: Any) -> tuple[torch.Tensor, ...]:
        """The tensors that a trace returns where the module returns `result`; numbers made of sizes are tensors, too.

        Raises `TraceError` if the result differs from that of this adapter's call in more than tensors.
        """
        known, sized = self._rich.result, self._rich.sized
        flat = Flattened.of({RESULT: result})
        others = {path: leaf for path, leaf in flat.others.items() if path not in sized}
        if known is None or others != {path: leaf for path, leaf in known.others.items() if path not in sized}:
            difference = known.difference(flat) if known else ""
            raise TraceError(f"the result differs from that of the traced call in more than tensors: {difference}")
        return self._rich.tensors_in(result)

    def rebuild(self, outputs: torch.Tensor | Sequence[torch.Tensor]) -> Any:
        """The rich result from the tensors that `forward`, or a trace of it, returned.

        Raises `TraceError` if the module has not run yet, so that the structure of its result is unknown.
        """
        result, sized = self._rich.result, self._rich.sized
        if result is None:
            raise TraceError("the adapter does not know the structure of the result", hint=TRACE_FIRST)
        pairs = zip(result.tensors, (outputs,) if is_tensor(outputs) else outputs, strict=True)
        leaves = [sized[path](each.item()) if path in sized else each for path, each in pairs]
        return put_together(result, leaves)[RESULT]

    def wrap(self, traced: Callable[..., Any]) -> Callable[..., Any]:
        """A function that runs a trace of this adapter, with the module's arguments and results.

        It raises `TraceError` if a call differs from that of this adapter in anything but tensors.
        """
        return lambda *args, **kwargs: self.rebuild(traced(*self.flatten(*args, **kwargs)))
