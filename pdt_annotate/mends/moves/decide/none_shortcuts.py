"""The test after `x is None or` becomes the other arm of a condition if x is always None.

The compiler reads both sides of `or` and `and`, but only the taken arm of a condition that it can decide.

Message: any, about the second side.
Kind: exact.
Needs: the test of an `if`, `while` or conditional expression that begins by comparing a parameter with None, for
    which only None was seen.
Before:
    if cache is None or self.key not in cache:
        return self.key(x)
After:
    if True if cache is None else self.key not in cache:
        return self.key(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, somewhere
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE


def find(site: FunctionContext) -> Iterator[Mend]:
    failing = {id(node) for outer in site.failing for node in ast.walk(outer)}
    for node in ast.walk(site.node):
        test = node.test if isinstance(node, (ast.If, ast.While, ast.IfExp)) else None
        if isinstance(test, ast.BoolOp) and id(test) in failing and _is_decided(site, test):
            # Only the truth of the test is used, so its value may differ.
            first, others = site.source(test.values[0]), test.values[1:]
            rest = site.source(others[0]) if len(others) == 1 else ast.unparse(ast.BoolOp(test.op, others))
            is_loose = isinstance(others[0], (ast.IfExp, ast.BoolOp, ast.Lambda, ast.NamedExpr)) or len(others) > 1
            rest = f"({rest})" if is_loose or "\n" in rest else rest
            new = f"True if {first} else {rest}" if isinstance(test.op, ast.Or) else f"{rest} if {first} else False"
            new = f"({new})" if isinstance(node, ast.IfExp) else new
            summary = f"`{site.source(test)}` as `{new}`"
            yield site.mend(RULE.name, MendKind.EXACT, test, summary, [site.replace(test, new)])


def _is_decided(site: FunctionContext, test: ast.BoolOp) -> bool:
    """Whether the first side decides the whole test: None for `or`, a value for `and`."""
    first, operator = test.values[0], ast.Is if isinstance(test.op, ast.Or) else ast.IsNot
    if not isinstance(first, ast.Compare) or not isinstance(first.left, ast.Name) or len(first.ops) != 1:
        return False
    compares = isinstance(first.ops[0], operator) and is_none(first.comparators[0])
    is_parameter = site.function.parameter(first.left.id) is not None
    return compares and is_parameter and set(site.observed(first.left.id)) == {NONE}


RULE = MendRule("none_shortcuts", MendKind.EXACT, somewhere, find, sweeps=False)
