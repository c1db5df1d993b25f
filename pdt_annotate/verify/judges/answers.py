"""Does the scripted model answer what the eager one answers: value, dtype, shape and Python type, call by call?"""

from __future__ import annotations

import cmath
import copy
import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.values.verdicts import Failure, Verdict

RUNS = "runs"
ANSWERS = "answers"
HELD_BACK = "held back"

# Fused and eager kernels may round differently; anything above this is another answer. Integers and booleans are exact.
RELATIVE, ABSOLUTE = 1e-4, 1e-5
RELATIVE_OF_HALVES = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2}  # one unit in the last place and a little

# What has an identity that a copy would lose.
SHARED = (type, enum.Enum, torch.nn.Module, FunctionType, BuiltinFunctionType, MethodType, ModuleType)

MakeCall = Callable[[], Any]


class Difference(Exception):
    """Two answers differ. `alike` says: by the class of a container only."""

    def __init__(self, message: str, *, alike: bool = False) -> None:
        super().__init__(message)
        self.alike = alike


def compare(eager: Any, scripted: Any, where: str = "the result") -> bool:
    """Whether two answers are equal and of the same Python classes; False where only a container's class differs.

    Raises:
        Difference: a value, dtype, shape or scalar type differs.
    """
    if isinstance(eager, torch.Tensor) and isinstance(scripted, torch.Tensor):
        _compare_tensors(eager, scripted, where)
        return True
    if isinstance(eager, Mapping) and isinstance(scripted, Mapping):
        return _compare_mappings(eager, scripted, where)
    if isinstance(eager, (list, tuple)) and isinstance(scripted, (list, tuple)):
        return _compare_sequences(eager, scripted, where)
    if isinstance(eager, (torch.dtype, torch.layout, torch.memory_format)) and type(scripted) is int:
        return False
    if type(eager) is not type(scripted):
        return _compare_objects(eager, scripted, where)
    return _compare_scalars(eager, scripted, where)


def _compare_tensors(eager: torch.Tensor, scripted: torch.Tensor, where: str) -> None:
    for what in ("dtype", "shape", "layout", "device"):
        old, new = getattr(eager, what), getattr(scripted, what)
        if old != new:
            raise Difference(f"{where} has {what} {_show(new)} when scripted, {_show(old)} in eager mode")
    if eager.is_meta:  # it has no values
        return
    rtol, atol = _tolerance(eager.dtype)
    old, new = eager.detach(), scripted.detach()
    if old.layout is torch.strided and not old.is_quantized and torch.allclose(new, old, rtol, atol, equal_nan=True):
        return
    try:  # it says what differs, at the price of an import that takes seconds
        torch.testing.assert_close(new, old, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        first = str(error).strip().splitlines()
        raise Difference(f"{where} differs: {' '.join(line.strip() for line in first if line)}") from None


def _tolerance(dtype: torch.dtype) -> tuple[float, float]:
    if dtype.is_floating_point or dtype.is_complex:
        return RELATIVE_OF_HALVES.get(dtype, RELATIVE), ABSOLUTE
    return 0.0, 0.0


def _show(value: Any) -> str:
    return str(tuple(value)) if isinstance(value, torch.Size) else str(value)


def _compare_mappings(eager: Mapping[Any, Any], scripted: Mapping[Any, Any], where: str) -> bool:
    same = [compare(list(eager), list(scripted), f"the keys of {where}")]
    pairs = zip(eager.items(), scripted.values(), strict=True)
    same += [compare(old, new, f"{where}[{key!r:.60}]") for (key, old), new in pairs]
    return all(same) and type(eager) is type(scripted)


def _compare_sequences(eager: Sequence[Any], scripted: Sequence[Any], where: str) -> bool:
    if len(eager) != len(scripted):
        raise Difference(f"{where} has {len(scripted)} items when scripted, {len(eager)} in eager mode")
    same = [compare(old, new, f"{where}[{i}]") for i, (old, new) in enumerate(zip(eager, scripted, strict=True))]
    return all(same) and _sequence_class(eager) == _sequence_class(scripted)


def _sequence_class(value: Sequence[Any]) -> tuple[str, tuple[str, ...]]:
    """A scripted NamedTuple is of a class that torch made, with the old one's name and fields."""
    fields = getattr(type(value), "_fields", None)
    return (type(value).__name__, tuple(fields)) if fields else (type(value).__name__, ())


def _compare_objects(eager: Any, scripted: Any, where: str) -> bool:
    """A user's class comes back as another class of the same name; its attributes must agree."""
    if type(eager).__name__ == type(scripted).__name__ and hasattr(eager, "__dict__"):
        return _compare_attributes(eager, scripted, where)
    kinds = type(scripted).__name__, type(eager).__name__
    raise Difference(f"{where} is of type {kinds[0]} ({scripted!r:.60}) when scripted, {kinds[1]} in eager mode")


def _compare_attributes(eager: Any, scripted: Any, where: str) -> bool:
    same = [compare(value, getattr(scripted, name, None), f"{where}.{name}") for name, value in vars(eager).items()]
    return all(same)


def _compare_scalars(eager: Any, scripted: Any, where: str) -> bool:
    if isinstance(eager, (float, complex)):
        equal = cmath.isclose(eager, scripted, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
        equal = equal or (cmath.isnan(eager) and cmath.isnan(scripted))
    elif hasattr(eager, "__dict__") and not isinstance(eager, (enum.Enum, type)):
        return _compare_attributes(eager, scripted, where)
    else:
        equal = bool(eager == scripted)
    if not equal:
        raise Difference(f"{where} is {scripted!r:.80} when scripted, {eager!r:.80} in eager mode")
    return True


def judge_call(name: str, held_back: bool, eager: MakeCall, scripted: MakeCall) -> Verdict:
    """Run one call both ways and compare. Where eager raises, scripted must raise as well."""
    judge = HELD_BACK if held_back else ANSWERS
    try:
        expected = eager()
    except Exception as error:
        return _judge_raising(judge, name, error, scripted)
    try:
        answer = scripted()
    except Exception as error:
        failure = read_failure(error)
        message = f"the scripted model raises where the eager one does not: {_last_line(failure.text)}"
        found = replace(failure, message=message, call=name, raises=True)
        return Verdict(HELD_BACK if held_back else RUNS, False, found)
    try:
        same = compare(expected, answer)
    except Difference as difference:
        return Verdict(judge, False, Failure(str(difference), call=name))
    except Exception as error:  # an answer of the user's class, whose own way of comparing or showing itself raises
        kind = type(error).__name__
        return Verdict(judge, False, Failure(f"comparing the results raises {kind}", kind, call=name))
    if not same:
        message = "the values are equal, but a container is of another Python class when scripted"
        return Verdict(judge, False, Failure(message, call=name, code="PDT065"))
    return Verdict(judge, True)


def _judge_raising(judge: str, name: str, error: Exception, scripted: MakeCall) -> Verdict:
    try:
        scripted()
    except Exception:
        return Verdict(judge, True)
    message = f"the eager model raises {type(error).__name__}, the scripted one does not"
    return Verdict(judge, False, Failure(message, type(error).__name__, call=name))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def clone(value: Any) -> Any:
    """A copy of example arguments that a call may spoil, so that every call starts from the same.

    Containers are rebuilt, tensors and random generators copied; objects of the user's are copied where they allow it.
    """
    return pytree.tree_map(_clone_leaf, value, is_leaf=_is_size)


def _is_size(value: Any) -> bool:
    """pytree would make a plain tuple of it."""
    return type(value) is torch.Size


def _clone_leaf(value: Any) -> Any:
    if is_a(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if is_a(value, torch.Generator):
        return value.clone_state()
    if is_a(value, *SHARED) or not state_of(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # a lock, the result of an operation, or an object whose own way of copying raises
        return value
