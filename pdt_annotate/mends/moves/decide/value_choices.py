"""An `or` of values becomes a condition: to the compiler, it is a bool.

Message: any, in a function with such an expression.
Kind: exact.
Needs: a first value that is a name or an attribute, which may be None, or which was no bool in the calls.
Before:
    scale = scale or 1.0
    return x * scale * (n or 2)
After:
    scale = scale if scale is not None and scale else 1.0
    return x * scale * (n if n else 2)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import CHOICE, OR, Expression, is_plain, put_in, spell, tests
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

NONE_TYPE = "NoneType"
SIZED = frozenset(("tuple", "dict", "Size"))  # the compiler knows no truth of them


def find(site: FunctionContext) -> Iterator[Mend]:
    tested = {id(part) for node in ast.walk(site.node) for test in tests(node) for part in ast.walk(test)}
    for node in ast.walk(site.node):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and id(node) not in tested:
            new = _condition(site, node)
            if new is not None:
                summary = f"`{' '.join(site.source(node).split())}` as a condition"
                yield site.mend(RULE.name, MendKind.EXACT, node, summary, [put_in(site, node, new)])


def _condition(site: FunctionContext, choice: ast.BoolOp) -> Expression | None:
    first, start, end = choice.values[0], site.span(choice.values[1])[0], site.span(choice.values[-1])[1]
    kinds = _kinds(site, first)
    if not is_plain(first) or isinstance(first, ast.Constant) or kinds <= {"bool"}:
        return None
    value = spell(site, first).at_least(OR)
    other = (
        spell(site, choice.values[1]) if len(choice.values) == 2 else Expression(site.text.body[start:end].decode(), OR)
    )
    rest = other.at_least(CHOICE)
    true = f"len({value}) > 0" if kinds & SIZED else value
    if NONE_TYPE not in kinds:
        return Expression(f"{value} if {true} else {rest}", CHOICE)
    if kinds == {NONE_TYPE}:  # the compiler sees at once which arm it need not read
        return Expression(f"{rest} if {value} is None else {value} if {true} else {rest}", CHOICE)
    return Expression(f"{value} if {value} is not None and {true} else {rest}", CHOICE)


def _kinds(site: FunctionContext, node: ast.expr) -> set[str]:
    """The last names of the types that a value had, and of None if a parameter has that default."""
    parameter = site.function.parameter(node.id) if isinstance(node, ast.Name) else None
    types = {value.type for value in site.values(node)} | site.seen(node)
    is_none = parameter is not None and (parameter.default == NONE or "Optional" in parameter.annotation)
    names = {name.rpartition(".")[2] for name in types} - {"None"}
    return names | ({NONE_TYPE} if is_none or "None" in types else set())


RULE = MendRule("value_choices", MendKind.EXACT, anything, find)
