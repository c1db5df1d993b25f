"""A function of the project that tests whether a parameter is None is written out where it is called.

Message: `Expected a value of type 'Tensor (inferred)' … but instead found type 'Optional[Tensor]'`, `'Optional[Tensor]'
    object has no attribute or method`: when a function returns, the compiler forgets the type that it found;
    `found type '__torch__.`: a layer is no argument.
Kind: exact.
Needs: the function only returns, one expression or one a branch, of its parameters and of other such functions alone;
    arguments are names, attributes, constants or lambdas; the argument shows whether `callable(d)` is true.
Before:
    if exists(mask):
        bias = default(bias, lambda: torch.zeros(3))
After:
    if mask is not None:
        bias = bias if bias is not None else torch.zeros(3)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import CALLABLE, FROM_OPTIONAL, LAMBDA, PASSED_MODULE
from pdt_annotate.mends.kit.construction import is_docstring
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, OR, Expression, is_plain, loads, put_in, spell
from pdt_annotate.source.definitions import Function, ParameterKind, literal_type
from pdt_annotate.source.syntax import bind_arguments, called_name, tests_for_none
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR

DEPTH = 4
NOT_CALLED = (ast.Constant, ast.BinOp, ast.Compare, ast.Tuple, ast.List, ast.Dict, ast.JoinedStr)
PLAIN_TYPES = frozenset((TENSOR.name, "int", "float", "bool", "str", "list", "tuple", "dict", "NoneType"))
PLAIN_PARAMETERS = (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN)


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in site.node.body:
        yield from _find(site, node)


def _find(site: FunctionContext, node: ast.AST) -> Iterator[Mend]:
    new = written_out(site, node) if isinstance(node, ast.Call) else None
    if new is None or not isinstance(node, ast.Call):
        for child in ast.iter_child_nodes(node):
            yield from _find(site, child)
        return
    summary = f"`{site.source(node)}` is written out: `{new.text}`"
    yield site.mend(RULE.name, MendKind.EXACT, node, " ".join(summary.split()), [put_in(site, node, new)])


@dataclass(frozen=True)
class _Passed:
    """The argument for a parameter: the expression, its text, and whether it can be called; None if unknown."""

    node: ast.expr
    spelled: Expression
    is_called: bool | None


def written_out(site: FunctionContext, call: ast.Call, depth: int = DEPTH) -> Expression | None:
    """A call of a helper as the expression that it returns; None if it cannot be written out."""
    helper = site.definition(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else None
    if helper is None or not depth or not _is_helper(site, helper, depth):
        return None
    passed = _bind(site, call, helper, depth)
    return None if passed is None else _body(site.at(helper), passed, depth)


def _is_helper(site: FunctionContext, helper: Function, depth: int) -> bool:
    """Whether a function returns a value that depends on a test for None of a parameter, and reads only parameters."""
    inner = site.at(helper)
    plain = all(p.kind in PLAIN_PARAMETERS for p in helper.parameters)
    # The body is `return a`, or `if a: return b` before it.
    *choices, last = helper.node.body[is_docstring(helper.node.body[0]) :] or [ast.Pass()]
    branches = [each.body for each in choices if isinstance(each, ast.If) and not each.orelse]
    returned = [branch[0] for branch in branches if len(branch) == 1]
    returns = all(isinstance(each, ast.Return) and each.value is not None for each in (*returned, last))
    if helper.in_class or helper.decorators or not plain or not returns or len(returned) < len(choices):
        return False
    calls = [node for node in ast.walk(helper.node) if isinstance(node, ast.Call)]
    helpers = [f for c in calls if (f := inner.definition(c.func)) and f.owner != helper.owner]
    known = {p.name for p in helper.parameters} | {f.node.name for f in helpers} | {"callable", "isfunction"}
    read = {n.id for each in helper.node.body for n in ast.walk(each) if isinstance(n, ast.Name)}
    tests = any(tests_for_none(helper.node, p.name) for p in helper.parameters)
    return read <= known and all(_is_helper(inner, f, depth - 1) for f in helpers) and (tests or bool(helpers))


def _bind(site: FunctionContext, call: ast.Call, helper: Function, depth: int) -> dict[str, _Passed] | None:
    arguments = bind_arguments(call, helper.parameters)
    if arguments is None:
        return None
    passed = {}
    for parameter in helper.parameters:
        node = arguments.get(parameter.name) or parameter.value
        if node is None:
            return None
        # The argument may be evaluated later, twice, or not at all.
        if parameter.name not in arguments and literal_type(node) is not None:
            spelled = Expression(ast.unparse(node), ATOM)
        elif parameter.name in arguments and (is_plain(node) or ast.unparse(node).startswith("lambda:")):
            inner = node.body if isinstance(node, ast.Lambda) else node
            spelled = spell(site, inner, lambda n: written_out(site, n, depth - 1) if isinstance(n, ast.Call) else None)
        else:
            return None
        types, is_called = site.seen(node), True if isinstance(node, ast.Lambda) else None
        if isinstance(node, NOT_CALLED) or (types and types <= PLAIN_TYPES):
            is_called = False
        passed[parameter.name] = _Passed(node, spelled, is_called)
    return passed


def _body(site: FunctionContext, passed: Mapping[str, _Passed], depth: int) -> Expression | None:
    *tests, last = site.node.body[is_docstring(site.node.body[0]) :]
    result = _value(site, last.value, passed, depth)  # type: ignore[attr-defined]
    for each in reversed(tests):
        test, value = each.test, each.body[0].value  # type: ignore[attr-defined]
        result = _choice(site, test, _value(site, value, passed, depth), result, passed, depth)
    return result


def _value(site: FunctionContext, node: ast.expr, passed: Mapping[str, _Passed], depth: int) -> Expression | None:
    """An expression of a helper in terms of its caller; None if it depends on something unknown."""
    if isinstance(node, ast.IfExp):
        body, orelse = (_value(site, each, passed, depth) for each in (node.body, node.orelse))
        return _choice(site, node.test, body, orelse, passed, depth)
    if isinstance(node, ast.Name):
        known = passed[node.id]
        return None if isinstance(known.node, ast.Lambda) else known.spelled
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in passed:
        known = passed[node.func.id]
        return known.spelled if isinstance(known.node, ast.Lambda) and not node.args and not node.keywords else None
    if isinstance(node, ast.Call):
        return _call(site, node, passed, depth)
    parts = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    if any(isinstance(p.node, ast.Lambda) and loads(node, name) for name, p in passed.items()):
        return None
    if any(_value(site, part, passed, depth) is None for part in parts):
        return None
    put = [*parts, *(name for each in passed for name in loads(node, each))]
    return spell(site, node, lambda n: _value(site, n, passed, depth) if n in put else None)


def _call(site: FunctionContext, call: ast.Call, passed: Mapping[str, _Passed], depth: int) -> Expression | None:
    helper = site.definition(call.func)
    arguments = bind_arguments(call, helper.parameters) if helper else None
    names = {name: arg.id for name, arg in (arguments or {}).items() if isinstance(arg, ast.Name)}
    if helper is None or not depth or set(names) != {p.name for p in helper.parameters}:
        return None
    inner = {name: passed[outer] for name, outer in names.items()}
    return _body(site.at(helper), inner, depth - 1)


def _choice(
    site: FunctionContext,
    test: ast.expr,
    body: Expression | None,
    orelse: Expression | None,
    passed: Mapping[str, _Passed],
    depth: int,
) -> Expression | None:
    if isinstance(test, ast.Call) and called_name(test) in ("callable", "isfunction"):
        asked = passed.get(test.args[0].id) if len(test.args) == 1 and isinstance(test.args[0], ast.Name) else None
        return None if asked is None or asked.is_called is None else body if asked.is_called else orelse
    spelled = _value(site, test, passed, depth)
    if None in (spelled, body, orelse):
        return None
    parts = body.at_least(OR), spelled.at_least(OR), orelse.at_least(CHOICE)  # type: ignore[union-attr]
    return Expression("{} if {} else {}".format(*parts), CHOICE)


RULE = MendRule("none_helpers", MendKind.EXACT, said(FROM_OPTIONAL, LAMBDA, CALLABLE, PASSED_MODULE), find)
