"""Where the user's code calls a library's function: of what a method calls itself the compiler does not tell it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType

from pdt_annotate.blame.cuts import Cut, read_definition
from pdt_annotate.blame.statements import own_nodes, statements_in
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner


def places_of_calls(owner: Owner, cut: Cut, callee: FunctionType) -> Iterator[Place]:
    """The calls of a function, by its name or another, in the statements that are left of one that is cut."""
    definition = None if cut.whole else read_definition(owner)
    for placed in statements_in(definition.body) if definition else ():
        calls = (node for node in own_nodes(placed.statement) if isinstance(node, ast.Call))
        found = next((call for call in calls if _is_of(call, owner, callee)), None)
        if found is not None and placed.statement.lineno not in cut.lines:
            yield Place(owner.file, found.lineno, found.col_offset + 1)


def _is_of(call: ast.Call, owner: Owner, callee: FunctionType) -> bool:
    dotted = ast.unparse(call.func)
    return dotted.rpartition(".")[2] == callee.__name__ or look_up(module_of(owner.file), dotted) is callee
