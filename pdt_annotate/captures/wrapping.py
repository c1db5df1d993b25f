"""A module whose `forward` calls what is captured, for the ways that take modules alone and those that read signatures.

A wrapper with `*args` will not do: to most ways that is another signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import MethodType
from typing import Any

import torch

EMPTY = inspect.Parameter.empty
STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
DEFAULT = "default_of_"
FUNCTION = "wrapped_function"


class Wrapper(torch.nn.Module):
    """Holds the module that a method is of, so that its parameters are those of the wrapper; or none.

    It does not hold the function: what modules hold, the tracer may compile.
    """

    def __init__(self, module: torch.nn.Module | None) -> None:
        super().__init__()
        self.module = module


def as_module(callee: Any) -> torch.nn.Module:
    """The callee itself where it is a module; a module that calls it, with its signature, where it is none."""
    if isinstance(callee, torch.nn.Module):
        return callee
    module = callee.__self__ if isinstance(callee, MethodType) else None
    if isinstance(module, torch.nn.Module):
        return _wrapper_class(callee, callee.__func__, ["self.module"])(module)
    return _wrapper_class(callee, callee, [])(None)


def _wrapper_class(callee: Any, function: Any, first: list[str]) -> type[Wrapper]:
    """
    Args:
        callee: what has the signature.
        function: what is called.
        first: what it is passed before the arguments.
    """
    parameters = inspect.signature(callee).parameters.values()
    taken = ", ".join(["self", *_taken(parameters)])
    passed = ", ".join([*first, *map(_passed, parameters)])
    names: dict[str, Any] = {DEFAULT + each.name: each.default for each in parameters} | {FUNCTION: function}
    exec(f"def forward({taken}):\n    return {FUNCTION}({passed})\n", names)
    return type("Wrapper", (Wrapper,), {"forward": names["forward"]})


def _taken(parameters: Any) -> Iterator[str]:
    """The parameters as a `def` spells them, with `/` and `*` where they stand."""
    last = None
    for each in parameters:
        if last is inspect.Parameter.POSITIONAL_ONLY is not each.kind:
            yield "/"
        if each.kind is inspect.Parameter.KEYWORD_ONLY and last not in (each.kind, inspect.Parameter.VAR_POSITIONAL):
            yield "*"
        yield STARS.get(each.kind, "") + each.name + ("" if each.default is EMPTY else f"={DEFAULT}{each.name}")
        last = each.kind
    if last is inspect.Parameter.POSITIONAL_ONLY:
        yield "/"


def _passed(parameter: inspect.Parameter) -> str:
    named = f"{parameter.name}=" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else ""
    return f"{named}{STARS.get(parameter.kind, '')}{parameter.name}"
