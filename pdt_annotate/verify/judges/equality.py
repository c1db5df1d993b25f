"""Are two values equal: in value, dtype, shape and Python type, at every depth?

If no annotation decides it, such as the class of a container, it is a remark: a `Failure` with the code of the finding
with which it is accepted.
"""

import cmath
import contextlib
import enum
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.findings.messages.said import RAISED, last_line, read_failure
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import module_of_class
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import ANSWERS, CALLERS_SEE, HELD_BACK, RUNS, Failure, Verdict
from pdt_annotate.verify.judges.clones import Done
from pdt_annotate.verify.judges.scripts import replaced

CLASS, SEEN = "PDT065", "PDT068"

# Fused and eager kernels may round differently; anything above this is another answer. Integers and booleans are exact.
RELATIVE, ABSOLUTE = 1e-4, 1e-5
RELATIVE_OF_HALVES = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2}  # one unit in the last place and a little

NO_GRADIENT = "the compiler ignores decorators such as `@torch.no_grad()`"


class Difference(Exception):
    """Two answers differ."""


def compare(eager: Any, scripted: Any, where: str = "the result") -> tuple[Failure, ...]:
    """Remarks on two equal values; raises `Difference` if a value, dtype, shape or scalar type differs."""
    return tuple(_compare(eager, scripted, where))


def _compare(eager: Any, scripted: Any, where: str) -> Iterator[Failure]:
    is_one_class = type(eager) is type(scripted)
    if isinstance(eager, torch.Tensor) and isinstance(scripted, torch.Tensor):
        yield from _compare_tensors(eager, scripted, where)
    elif isinstance(eager, Mapping) and isinstance(scripted, Mapping):
        yield from _compare(list(eager), list(scripted), f"the keys of {where}")
        for (key, old), new in zip(eager.items(), scripted.values(), strict=True):
            yield from _compare(old, new, f"{where}[{key!r:.60}]")
        if not is_one_class:
            yield _of_class(eager, scripted, where)
    elif isinstance(eager, (list, tuple)) and isinstance(scripted, (list, tuple)):
        yield from _compare_sequences(eager, scripted, where)
    elif isinstance(eager, (torch.dtype, torch.layout, torch.memory_format)) and type(scripted) is int:
        yield _of_class(eager, scripted, where)
    elif _is_numpy_scalar(eager) and not is_one_class:
        yield from _compare(eager.item(), scripted, where)
        yield _of_class(eager, scripted, where)
    elif not is_one_class and (type(eager).__name__ != type(scripted).__name__ or not hasattr(eager, "__dict__")):
        old, new = type(eager).__name__, type(scripted).__name__
        raise Difference(f"{where} is of type {new} ({scripted!r:.60}) when scripted, {old} in eager mode")
    elif not is_one_class or (hasattr(eager, "__dict__") and not isinstance(eager, (float, complex, enum.Enum, type))):
        # A user's class may come back as another class of the same name; its attributes must agree.
        for name, value in vars(eager).items():
            yield from _compare(value, getattr(scripted, name, None), f"{where}.{name}")
    else:
        if isinstance(eager, (float, complex)):
            equal = cmath.isclose(eager, scripted, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
            equal = equal or (cmath.isnan(eager) and cmath.isnan(scripted))
        else:
            equal = bool(eager == scripted)
        if not equal:
            raise Difference(f"{where} is {scripted!r:.80} when scripted, {eager!r:.80} in eager mode")


def _of_class(eager: Any, scripted: Any, where: str) -> Failure:
    names = [f"{'numpy.' * _is_numpy_scalar(each)}{type(each).__name__}" for each in (eager, scripted)]
    kinds = [f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}" for name in names]
    return Failure(f"{where} is {kinds[1]} when scripted, {kinds[0]} in eager mode", code=CLASS)


def _is_numpy_scalar(value: Any) -> bool:
    return module_of_class(type(value)) == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item")


def _compare_tensors(eager: torch.Tensor, scripted: torch.Tensor, where: str) -> Iterator[Failure]:
    nested = eager.is_nested and scripted.is_nested
    for what in ("is_nested", "dtype", "layout", "device", *(() if nested else ("shape",))):
        old, new = getattr(eager, what), getattr(scripted, what)
        if old != new:
            shown = [str(tuple(each)) if isinstance(each, torch.Size) else str(each) for each in (new, old)]
            raise Difference(f"{where} has {what} {shown[0]} when scripted, {shown[1]} in eager mode")
    if nested:
        yield from _compare_sequences(eager.unbind(), scripted.unbind(), where)
    elif not eager.is_meta:  # it has no values
        old, new = eager.detach(), scripted.detach()
        is_exact = not (old.dtype.is_floating_point or old.dtype.is_complex)
        rtol, atol = (0.0, 0.0) if is_exact else (RELATIVE_OF_HALVES.get(old.dtype, RELATIVE), ABSOLUTE)
        is_plain = old.layout is torch.strided and not old.is_quantized
        if not (is_plain and torch.allclose(new, old, rtol, atol, equal_nan=True)):
            try:  # the message of `assert_close` shows the difference
                with sparing_imports():
                    torch.testing.assert_close(new, old, rtol=rtol, atol=atol, equal_nan=True)
            except AssertionError as error:
                first = str(error).strip().splitlines()
                raise Difference(f"{where} differs: {' '.join(line.strip() for line in first if line)}") from None
    if type(eager) is not type(scripted):
        yield _of_class(eager, scripted, where)
    if eager.requires_grad != scripted.requires_grad:
        ways = ("requires", "does not require") if scripted.requires_grad else ("does not require", "requires")
        message = f"{where} {ways[0]} a gradient when scripted, and {ways[1]} one in eager mode"
        yield Failure(f"{message}; {NO_GRADIENT}" if scripted.requires_grad else message, code=SEEN)


def sparing_imports() -> contextlib.AbstractContextManager[None]:
    """Keep torch from importing `torch.distributed.tensor` to compare tensors, which takes the better part of a second.

    A tensor can only be one of that module's if the module has been imported.
    """
    comparison: Any = torch.testing._comparison
    needed = "torch.distributed.tensor" in sys.modules or not hasattr(comparison, "_HAS_DTENSOR")
    return contextlib.nullcontext() if needed else replaced(comparison, "_HAS_DTENSOR", False)


def _compare_sequences(eager: Sequence[Any], scripted: Sequence[Any], where: str) -> Iterator[Failure]:
    if len(eager) != len(scripted):
        raise Difference(f"{where} has {len(scripted)} items when scripted, {len(eager)} in eager mode")
    for i, (old, new) in enumerate(zip(eager, scripted, strict=True)):
        yield from _compare(old, new, f"{where}[{i}]")
    # A scripted NamedTuple is of a class that torch made, with the old one's name and fields.
    old, new = ((type(each).__name__, tuple(getattr(type(each), "_fields", None) or ())) for each in (eager, scripted))
    if old != new:
        yield _of_class(eager, scripted, where)


REMARKS = 2  # of a code, on one call

# A further check of a call that answered both ways: returns remarks, or raises a `Difference`.
Look = Callable[[Done, Done], Iterable[Failure] | None]


def judge_call(call: Call, eager: Done, scripted: Done, looks: Iterable[Look] = ()) -> Iterator[Verdict]:
    """The verdict on a call made both ways (if eager raises, scripted must), then further differences for callers."""
    judge = HELD_BACK if call.held_back else ANSWERS
    try:
        if scripted.error is not None and eager.error is None:
            failure = read_failure(scripted.error)
            # Behind the error of a Python function that the model calls, torch lists the calls of Python.
            raised = last_line(failure.text.partition("\n\nAt:\n")[0])
            message = f"the scripted model raises, and the eager model does not: {raised}"
            failure = replace(failure, message=message, raises=True, call=call.name)
            yield Verdict(HELD_BACK if call.held_back else RUNS, False, failure)
            return
        remarks = _compare_as_seen(call, eager, scripted)
    except Difference as difference:
        yield Verdict(judge, False, Failure(str(difference), call=call.name))
    except Exception as error:  # an answer of the user's class, whose comparison or `repr` raises
        kind = type(error).__name__
        yield Verdict(judge, False, Failure(f"comparing the results raises {kind}", kind, call=call.name))
    else:
        yield Verdict(judge, True)
        seen = list(remarks)
        for look in looks:
            try:
                seen += look(eager, scripted) or ()
            except Difference as difference:
                seen.append(Failure(str(difference)))
        # A few remarks of each code; the last of them has the number of the others.
        for alike in grouped((remark.code, remark) for remark in seen).values():
            *kept, last = alike[:REMARKS]
            left = len(alike) - REMARKS
            kept.append(replace(last, message=f"{last.message} (and {left} more)") if left > 0 else last)
            yield from (Verdict(CALLERS_SEE, False, replace(each, call=call.name)) for each in kept)


def _compare_as_seen(call: Call, eager: Done, scripted: Done) -> tuple[Failure, ...]:
    """Remarks on the answers or errors of two calls, if not only scripted raised; or raises a `Difference`."""
    if eager.error is not None:
        name = type(eager.error).__name__
        if scripted.error is None:
            raise Difference(f"the eager model raises {name}, and the scripted model does not")
        raised = RAISED.match(last_line(str(scripted.error)))
        named = raised[1] if raised else ""  # "ValueError" of "builtins.ValueError: too small"
        if named in ("", name):
            return ()
        return (Failure(f"the scripted model raises {named}, and the eager model {name}", code=SEEN),)
    if call.raises:
        raise Difference("the call is meant to raise, but does not")
    return compare(eager.answer, scripted.answer)
