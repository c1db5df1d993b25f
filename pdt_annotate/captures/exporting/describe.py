"""The tasks that tell of a target and its calls what a file can say."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import torch

from pdt_annotate.captures.exporting.binding import VARIADIC, Entry, entry_of, in_order
from pdt_annotate.captures.exporting.building import building_of
from pdt_annotate.captures.exporting.values import UnsayableError, imports_of, see, spell
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.exports import CallSeen, Exportable, NamedParameter, Seen, SpelledCall, Where
from pdt_annotate.values.runs import Call, SpecSource, Target

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
ONLY_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)


def describe(prepared: Prepared, target: Target, source: SpecSource) -> Exportable:
    """The target and its calls.

    Raises:
        VerificationError: no file can say how the target is made.
    """
    entry = entry_of(prepared)
    try:
        building = building_of(prepared, target, source, entry.method)
    except UnsayableError as unsayable:
        raise VerificationError(f"no file can say how {target.text} is made: {unsayable}") from None
    kinds = in_order((entry.bind(call) for call in prepared.calls if not entry.apart(call)), entry.signature)
    parameters = tuple(_parameter(name, kind, entry.signature) for name, kind in kinds.items())
    calls = tuple(_see_call(entry, number, call) for number, call in enumerate(prepared.calls))
    version = str(torch.__version__)  # which is of a class of torch, and the tool may have none
    return Exportable(building, parameters, calls, version)


def spell_call(prepared: Prepared, number: int, names: tuple[str, ...], instead: Mapping[Where, int]) -> SpelledCall:
    """The arguments of the call of a number, as Python.

    Args:
        names: those that are wanted, which may be left to their defaults.
        instead: other sizes and ints, by where they are.
    """
    entry = entry_of(prepared)
    call = next(call for index, call in enumerate(prepared.calls) if index == number)
    values = entry.with_defaults(entry.bind(call))
    texts = {name: spell((name,), values[name], instead) for name in names}
    return SpelledCall(texts, tuple(dict.fromkeys(each for name in names for each in imports_of(values[name]))))


def _parameter(name: str, kind: Any, signature: inspect.Signature) -> NamedParameter:
    is_variadic = kind in VARIADIC
    default = None if is_variadic else _see_default(name, signature.parameters[name].default)
    return NamedParameter(name, kind in BY_POSITION, kind not in ONLY_BY_POSITION, default, is_variadic)


def _see_default(name: str, default: Any) -> Seen | None:
    try:
        return see((name,), default)
    except UnsayableError:  # there is none, or one that is told apart from whatever is passed
        return None


def _see_call(entry: Entry, number: int, call: Call) -> CallSeen:
    apart = entry.apart(call)
    if apart:
        return CallSeen(number, call.name, {}, held_back=call.held_back, apart=apart)
    bound = entry.bind(call)
    try:
        arguments = {name: see((name,), value) for name, value in bound.values.items()}
    except UnsayableError as unsayable:
        return CallSeen(number, call.name, {}, held_back=call.held_back, apart=str(unsayable))
    return CallSeen(number, call.name, arguments, bound.by_position, call.mode, call.held_back)
