"""A parameter that is None in every call is annotated as None, so that the compiler skips code for other values.

The compiler reads both sides of `or` and `and`, but only the taken arm of a condition that it can decide: the test
after `x is None or` becomes the other arm of a condition.

Message: any, about a statement that uses the parameter as something else.
Kind: scripted; exact for a test.
Needs: a parameter for which only None was seen, and which the failing statement names: without annotation and with the
    default None, or compared with None at the begin of the test of an `if`, `while` or conditional expression.
Before:
    def forward(self, x, cache=None):
        if cache is None or self.key not in cache:
            return self.key(x)
        return cache[self.key]
After:
    def forward(self, x, cache: None = None):
        if True if cache is None else self.key not in cache:
            return self.key(x)
        return cache[self.key]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.context import FunctionContext, MendRule, somewhere
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.mends.moves.declare.unknown_annotations import parameters
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE


def find(site: FunctionContext) -> Iterator[Mend]:
    nothing = {arg.arg: arg for arg in parameters(site.node) if set(site.observed(arg.arg)) == {NONE}}
    defaults = defaults_of(site.node)
    for name, arg in nothing.items():
        if name in site.failing_names and not arg.annotation and is_none(defaults.get(name)):
            # PEP 8 wants spaces around the `=` after an annotation.
            (_, end), (start, _) = site.span(arg), site.span(defaults[name])
            summary, left_out = f"`{name}` as None, which every call leaves it", f"`{name}` with a value"
            edits = [Edit(end, ": None = ", removed=start - end)]
            yield site.mend(RULE.name, MendKind.SCRIPTED, arg, summary, edits, left_out=left_out)
    failing = {id(node) for outer in site.failing for node in ast.walk(outer)}
    for node in ast.walk(site.node):
        test = node.test if isinstance(node, (ast.If, ast.While, ast.IfExp)) else None
        if not isinstance(test, ast.BoolOp) or id(test) not in failing:
            continue
        # The first side decides the whole test: None for `or`, a value for `and`.
        first, sign = test.values[0], "is" if isinstance(test.op, ast.Or) else "is not"
        if any(ast.unparse(first) == f"{name} {sign} None" for name in nothing):
            # Only the truth of the test is used, so its value may differ.
            asked, others = site.source(first), test.values[1:]
            rest = site.source(others[0]) if len(others) == 1 else ast.unparse(ast.BoolOp(test.op, others))
            is_loose = isinstance(others[0], (ast.IfExp, ast.BoolOp, ast.Lambda, ast.NamedExpr)) or len(others) > 1
            rest = f"({rest})" if is_loose or "\n" in rest else rest
            new = f"True if {asked} else {rest}" if sign == "is" else f"{rest} if {asked} else False"
            new = f"({new})" if isinstance(node, ast.IfExp) else new
            summary = f"`{site.source(test)}` as `{new}`"
            yield site.mend(RULE.name, MendKind.EXACT, test, summary, [site.replace(test, new)])


RULE = MendRule("none_parameters", MendKind.SCRIPTED, somewhere, find, sweeps=False)
