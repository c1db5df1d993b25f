"""Example calls from the Python values that a spec gives them as."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call

FORMS = "a call is a tuple (positional), a dict (keyword) or a pdt_annotate.Call"


def read_calls(value: object) -> Iterator[Call]:
    """The calls in a list, in a mapping of callables to lists (as `torch.jit.script(example_inputs=)` takes), or alone.

    Raises:
        SpecError: something is not a call; the message names its number.
    """
    if isinstance(value, Mapping) and value and all(map(callable, value)):
        for callee, calls in value.items():
            yield from _read_calls_of(callee, calls)
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield read_call(item, f"call {number}")
    elif isinstance(value, tuple) and value and all(isinstance(item, tuple | Mapping | Call) for item in value):
        hint = "write a list: [(…), (…)] for several calls, [((…), (…))] for one call with tuples as arguments"
        raise SpecError("a tuple of tuples may be one call or several", hint=hint)
    elif value is not None and not (isinstance(value, Mapping) and not value):
        yield read_call(value, "the only call")


def _read_calls_of(callee: Callable[..., object], value: object) -> Iterator[Call]:
    name = getattr(callee, "__qualname__", type(callee).__qualname__)
    try:
        for call in read_calls(value):
            yield replace(call, callee=callee)
    except SpecError as error:
        raise SpecError(f"{error.message} (of {name})", hint=error.hint) from None


def read_call(value: object, label: str) -> Call:
    """One call, named `label` in messages.

    Raises:
        SpecError: the value is not a call. (A bare tensor is one such: torch would unpack it along its first
            dimension and say nothing.)
    """
    if isinstance(value, Call):
        return _check_fields(value, label)
    if isinstance(value, tuple):
        return Call(args=value)
    if isinstance(value, Mapping):
        return _check_fields(Call(kwargs=value), label)
    hint = "write (x,) for a call with one argument" if not isinstance(value, list) else "write a tuple: (…)"
    raise SpecError(f"{label} is {describe(value)}; {FORMS}", hint=hint)


def _check_fields(call: Call, label: str) -> Call:
    args: Any = call.args
    if isinstance(args, list):
        call = replace(call, args=tuple(args))
    elif not isinstance(args, tuple):
        raise SpecError(f"{label}: `args` is {describe(args)}, not a tuple", hint="write Call((x,)) for one argument")
    if not (isinstance(call.kwargs, Mapping) and all(isinstance(key, str) for key in call.kwargs)):
        raise SpecError(f"{label}: keyword arguments are a dict with parameter names as keys")
    return call


def describe(value: object) -> str:
    """What a value is, for a message."""
    if value is None:
        return "None"
    return "a tensor" if isinstance(value, torch.Tensor) else f"a value of type {type(value).__qualname__!r}"
