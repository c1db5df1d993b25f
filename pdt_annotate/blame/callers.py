"""Where the user's code calls a library's function: of what a method calls itself the compiler does not tell it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import torch.jit._builtins

from pdt_annotate.blame.cuts import read_definition
from pdt_annotate.blame.statements import own_nodes, statements_in
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner


def places_of_calls(owner: Owner, callee: FunctionType) -> Iterator[Place]:
    """The calls that one function makes of another, by its name or an alias; of each statement the first."""
    definition = read_definition(owner)
    for placed in statements_in(definition.body) if definition else ():
        calls = (node for node in own_nodes(placed.statement) if isinstance(node, ast.Call))
        found = next((call for call in calls if _is_of(call, owner, callee)), None)
        if found is not None:
            yield Place(owner.file, found.lineno, found.col_offset + 1)


def _is_of(call: ast.Call, owner: Owner, callee: FunctionType) -> bool:
    dotted = ast.unparse(call.func)
    return dotted.rpartition(".")[2] == callee.__name__ or look_up(module_of(owner.file), dotted) is callee


def name_of(function: FunctionType) -> str:
    """What a library's function is called where the user is to know it: "rearrange of einops.einops"."""
    return f"{function.__qualname__} of {function.__module__}"


def is_builtin(function: FunctionType) -> bool:
    """Whether the compiler knows a function without reading it; it may do so of all of torch's."""
    find_builtin: Any = torch.jit._builtins._find_builtin
    return function.__module__.partition(".")[0] == "torch" or find_builtin(function) is not None
