"""Calls by the names of parameters, for they pass the same by position in one and by keyword in the next."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from pdt_annotate.processes.child.prepared import Prepared, callee_of, method_of
from pdt_annotate.values.exports import Arrangement
from pdt_annotate.values.runs import Call

VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class BoundCall:
    """The arguments of a call by name, those in `*args` and `**kwargs` by one of their own.

    Args:
        kinds: of each, by name, that of the parameter that takes it.
        by_position: those that the call passes so.
    """

    values: Mapping[str, Any]
    kinds: Mapping[str, Any]
    by_position: frozenset[str]


@dataclass(frozen=True)
class Entry:
    """What of the target is exported: the method that most calls name, and its parameters without `self`."""

    prepared: Prepared
    method: str
    signature: inspect.Signature

    def apart(self, call: Call) -> str:
        """Why no export of this can serve a call; "" where one may."""
        if call.raises:
            return "it is meant to raise"
        if call.callee is not None:
            return "it calls something else"
        method = method_of(self.prepared, call)
        return f"it calls `{method}`, not `{self.method}`" if method != self.method else ""

    def bind(self, call: Call) -> BoundCall:
        """The arguments of a call, by name."""
        found = list(self._bound(call))
        values = {name: value for name, _, value in found}
        by_position = frozenset(list(values)[: len(call.args)])
        return BoundCall(values, {name: kind for name, kind, _ in found}, by_position)

    def _bound(self, call: Call) -> Iterator[tuple[str, Any, Any]]:
        for name, value in self.signature.bind(*call.args, **call.kwargs).arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is Parameter.VAR_POSITIONAL:
                yield from ((f"{name}_{index}", kind, each) for index, each in enumerate(value))
            elif kind is Parameter.VAR_KEYWORD:
                yield from ((key, kind, each) for key, each in value.items())
            else:
                yield name, kind, value

    def arranged(self, bound: BoundCall, arrangement: Arrangement) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call as an exported program takes them, with the defaults of what the call leaves out."""
        values = self.with_defaults(bound)
        return tuple(values[name] for name in arrangement.args), {name: values[name] for name in arrangement.kwargs}

    def with_defaults(self, bound: BoundCall) -> dict[str, Any]:
        """The arguments of a call by name, and what it leaves out."""
        return {**{name: each.default for name, each in self.signature.parameters.items()}, **bound.values}


def entry_of(prepared: Prepared) -> Entry:
    """What is exported of the target of a session."""
    shown = [call for call in prepared.calls if call.callee is None and not (call.held_back or call.raises)]
    methods = Counter(method_of(prepared, call) for call in shown)
    method = next((name for name, _ in methods.most_common(1)), prepared.subject.method or "forward")
    call = next((call for call in shown if method_of(prepared, call) == method), Call(method=method))
    function = callee_of(prepared, prepared.built, call)
    return Entry(prepared, method, inspect.signature(getattr(function, "forward", function)))


def in_order(bound: Iterable[BoundCall], signature: inspect.Signature) -> dict[str, Any]:
    """All that is ever passed, in the order of the signature, each with the kind of the parameter that takes it."""
    kinds: dict[str, Any] = {}
    for each in bound:
        kinds.update(each.kinds)
    order = {name: index for index, name in enumerate(signature.parameters)}
    return dict(sorted(kinds.items(), key=lambda item: (item[1], order.get(item[0], 0))))
