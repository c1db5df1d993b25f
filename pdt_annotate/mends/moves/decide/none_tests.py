"""A truth test of a value that may be None becomes a comparison with None, and a test of the rest.

The compiler folds a comparison with None: it does not read the code under it if there is no layer.

Message: `Could not cast value of type` … `to bool`.
Kind: exact.
Needs: an attribute of a module that held None, layers that are always true, or containers; a parameter that may be
None.
Before:
    if self.downsample:
        x = self.downsample(x)
    if scale:
        x = x * scale
After:
    if self.downsample is not None:
        x = self.downsample(x)
    if scale is not None and scale:
        x = x * scale
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import NO_BOOL
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import tested
from pdt_annotate.source.syntax import is_known_not_none
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

NONE_TYPE = "builtins.NoneType"


@dataclass(frozen=True)
class Test:
    """The replacements for the truth and the falsehood of an expression; `joined` says that they have two parts."""

    true: str
    false: str
    joined: bool = False


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in tested(site.node):
        test = _of_attribute(site, site.self_attribute(node)) or _of_name(site, node)
        if test is None or _is_compared(site, node):
            continue
        outer = site.parents[node]
        negated = isinstance(outer, ast.UnaryOp)
        whole = outer if negated else node
        new = test.false if negated else test.true
        # Two parts get parentheses inside another operator, even if only for readability.
        around, other = site.parents[whole], ast.And if negated else ast.Or
        binds = isinstance(around, ast.UnaryOp) or (isinstance(around, ast.BoolOp) and isinstance(around.op, other))
        new = f"({new})" if test.joined and binds else new
        summary = f"test `{ast.unparse(whole)}` as `{new}`"
        yield site.mend(RULE.name, MendKind.EXACT, whole, summary, [site.replace(whole, new)])


def _of_attribute(site: FunctionContext, attribute: str) -> Test | None:
    held = site.held(attribute)
    values = [v for v in held.values if v.type != NONE_TYPE]
    if held.lacking or not held.values:
        return None
    receiver, may_be_none = f"{site.function.receiver}.{attribute}", len(values) < len(held.values)
    if all(value.always_true for value in values):
        return Test(f"{receiver} is not None", f"{receiver} is None")
    # The compiler itself tests the length of a list.
    if all(value.length >= 0 and (may_be_none or value.type != "builtins.list") for value in values):
        return _with_length(receiver, may_be_none)
    return None


def _with_length(text: str, may_be_none: bool) -> Test:
    if may_be_none:
        return Test(f"{text} is not None and len({text}) > 0", f"{text} is None or len({text}) == 0", joined=True)
    return Test(f"len({text}) > 0", f"len({text}) == 0")


def _of_name(site: FunctionContext, node: ast.expr) -> Test | None:
    parameter = site.function.parameter(node.id) if isinstance(node, ast.Name) else None
    if parameter is None or not isinstance(node, ast.Name) or is_known_not_none(site.node, node):
        return None
    default = parameter.default == NONE or "Optional" in parameter.annotation
    if not default and NONE not in site.observed(node.id):
        return None
    if any(type_.name == "tuple" for type_ in site.observed(node.id)):
        return _with_length(node.id, True)
    return Test(f"{node.id} is not None and {node.id}", f"{node.id} is None or not {node.id}", joined=True)


def _is_compared(site: FunctionContext, node: ast.expr) -> bool:
    whole_test: ast.AST = node
    for outer in itertools.takewhile(lambda outer: isinstance(outer, (ast.BoolOp, ast.UnaryOp)), site.around(node)):
        whole_test = outer
    compared = (
        n for n in ast.walk(whole_test) if isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.Is, ast.IsNot))
    )
    return any(ast.unparse(each.left) == ast.unparse(node) for each in compared)


RULE = MendRule("none_tests", MendKind.EXACT, quoted(NO_BOOL), find)
