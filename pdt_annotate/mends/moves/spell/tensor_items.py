"""`x.item()`, a number of unknown kind to the compiler, becomes the int, float or bool that it always was.

Message: `… to a value of type number`, `unified to number`, `found number`, `unsupported index type 'number'`.
Kind: exact.
Needs: the result of `item` goes into a local that was of one kind in every call, or into a list of one kind.
Before:
    tags = [best.item()]
After:
    tags = [int(best.item())]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NUMBER
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.expressions import INT, NUMBERS
from pdt_annotate.source.syntax import choices, plain_assignments
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TypeExpr

WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)  # the result is an int only if both operands are


def find(site: FunctionContext) -> Iterator[Mend]:
    assigned = [(name, node.value) for name, node in plain_assignments(site.node)]
    for node in ast.walk(site.node):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            assigned.append((node.target.id, node.value))
    for name, value in assigned:
        # Empty lists say nothing about the kind.
        types = {each for each in site.observed(name) if each.name != "list" or each.args}
        for item, type_ in _items(value, types.pop() if len(types) == 1 else None):
            if str(type_) not in {*site.local_names, *site.imports}:
                new = f"{type_}({site.source(item)})"
                yield site.mend(RULE.name, MendKind.EXACT, item, f"write `{new}`", [site.replace(item, new)])


def _items(value: ast.expr, type_: TypeExpr | None) -> Iterator[tuple[ast.expr, TypeExpr]]:
    """The calls of `item` in a value of a type, each with the kind of number that it returned."""
    for given in choices(value):
        if type_ is not None and type_.name == "list" and isinstance(given, (ast.List, ast.ListComp)):
            for element in given.elts if isinstance(given, ast.List) else [given.elt]:
                yield from _items(element, type_.args[0] if type_.args else None)
        elif type_ == INT and isinstance(given, ast.BinOp) and isinstance(given.op, WHOLE):
            yield from (each for side in (given.left, given.right) for each in _items(side, type_))
        elif type_ in NUMBERS and isinstance(given, ast.Call) and ast.unparse(given).endswith(".item()"):
            yield given, type_


RULE = MendRule("tensor_items", MendKind.EXACT, said(NUMBER), find)
