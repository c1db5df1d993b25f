"""A method that only raises returns NoneType to the compiler: what its overrides return is what callers expect.

`'NoneType' object has no attribute or method 'energies'`, or an argument of which `found type 'NoneType'` is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.repair.names import called_names
from pdt_annotate.repair.situation import Proposal, Situation, return_slot
from pdt_annotate.survey import Function


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return of each abstract function that the failing statement calls."""
    statement = situation.statement()
    if statement is None or "NoneType" not in situation.failure.message:
        return
    for name in called_names(statement):
        for function in situation.functions_named(name):
            if is_abstract(function) and not function.returns and not function.settled:
                types = list(dict.fromkeys(situation.namesakes.of_return(function.owner)))
                for type_ in types:
                    yield from situation.propose(return_slot(function), [type_])
                if len(types) > 1:
                    yield from situation.propose(return_slot(function), types)


def is_abstract(function: Function) -> bool:
    """Whether a function ends in `raise` and never returns a value."""
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function.node))
    return isinstance(function.node.body[-1], ast.Raise) and not returns
