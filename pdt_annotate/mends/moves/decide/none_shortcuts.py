"""The test after `x is None or` becomes the other arm of a condition if x is always None.

The compiler reads both sides of `or` and `and`, but only the taken arm of a condition that it can decide.

So does the value that `or` has in place of None: `scale or 1.0` becomes `1.0 if scale is None else scale or 1.0`.

Message: any, about the second side, or about the truth of None.
Kind: exact.
Needs: the test of an `if`, `while` or conditional expression that begins by comparing a parameter with None,
    or a value, for which only None was seen.
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
from pdt_annotate.mends.kit.spelled import CHOICE, OR, Expression, is_none, put_in, spell, tests
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE


def find(site: FunctionContext) -> Iterator[Mend]:
    failing = {id(node) for outer in site.failing for node in ast.walk(outer)}
    for node in ast.walk(site.node):
        is_test = any(node in tests(around) for around in site.around(node)) if node is not site.node else True
        if isinstance(node, ast.BoolOp) and id(node) in failing and not is_test:
            yield from _value(site, node)
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


def _value(site: FunctionContext, node: ast.BoolOp) -> Iterator[Mend]:
    """`x or y` that is used for more than its truth."""
    first, attribute = node.values[0], site.held(site.self_attribute(node.values[0]))
    is_parameter = (
        isinstance(first, ast.Name) and site.function.parameter(first.id) and first.id not in site.stored_names
    )
    is_none_held = attribute.literal == "None" or (is_parameter and site.seen(first) == {NONE.name})
    outer = site.parents[node]
    is_done = isinstance(outer, ast.IfExp) and ast.unparse(outer.test) == f"{ast.unparse(first)} is None"
    if (
        isinstance(node.op, ast.Or)
        and len(node.values) == 2
        and is_none_held
        and not is_done
        and "\n" not in site.source(node)
    ):
        other = spell(site, node.values[1]).at_least(OR)
        new = Expression(f"{other} if {site.source(first)} is None else {site.source(node)}", CHOICE)
        summary = f"`{site.source(node)}` as `{new.text}`"
        yield site.mend(RULE.name, MendKind.EXACT, node, summary, [put_in(site, node, new)])


def _is_decided(site: FunctionContext, test: ast.BoolOp) -> bool:
    """Whether the first side decides the whole test: None for `or`, a value for `and`."""
    first, operator = test.values[0], ast.Is if isinstance(test.op, ast.Or) else ast.IsNot
    if not isinstance(first, ast.Compare) or not isinstance(first.left, ast.Name) or len(first.ops) != 1:
        return False
    compares = isinstance(first.ops[0], operator) and is_none(first.comparators[0])
    is_parameter = site.function.parameter(first.left.id) is not None
    return compares and is_parameter and set(site.observed(first.left.id)) == {NONE}


RULE = MendRule("none_shortcuts", MendKind.EXACT, somewhere, find, sweeps=False)
