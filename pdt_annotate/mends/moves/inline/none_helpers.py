"""A call of a helper function that tests whether a parameter is None is replaced by the code of the helper.

Message:
    - `Expected a value of type 'Tensor (inferred)' … but instead found type 'Optional[Tensor]'`,
      `'Optional[Tensor]' object has no attribute or method`. A test for None in a called function does not refine the
      type of a variable in the caller.
    - `found type '__torch__.`. A layer cannot be passed as an argument.
Kind: Exact.
Needs:
    - The helper is a function of the project. It consists of one `return` statement, or of one in each branch. It reads
      only its parameters and calls only other such helpers.
    - The arguments are names, attributes, constants, or lambdas without parameters.
    - If the helper tests `callable(d)`, the argument or its observed types show whether it can be called.
Before:
    if exists(mask):
        bias = default(bias, lambda: torch.zeros(3))
After:
    if mask is not None:
        bias = bias if bias is not None else torch.zeros(3)
"""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy

from pdt_annotate.findings.messages.said import FROM_OPTIONAL, LAMBDA, NO_BUILTIN, PASSED_MODULE
from pdt_annotate.mends.kit.construction import body_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import Expression, is_plain, put_in, strength
from pdt_annotate.source.definitions import Function, ParameterKind, literal_type
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import all_arguments, bind_arguments, called_name, nodes_in, tests_for_none
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR

DEPTH = 4
NOT_CALLED = (ast.Constant, ast.BinOp, ast.Compare, ast.Tuple, ast.List, ast.Dict, ast.JoinedStr)
PLAIN_TYPES = frozenset((TENSOR.name, "int", "float", "bool", "str", "list", "tuple", "dict", "NoneType"))
PLAIN_PARAMETERS = (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN)


def find(site: FunctionContext) -> Iterator[Mend]:
    pending = list[ast.AST](site.node.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call) and (new := _written_out(site, node)) is not None:
            text = ast.unparse(new)
            edits = [put_in(site, node, Expression(text, strength(new)))]
            yield site.mend(node, f"write `{site.source(node)}` as `{text}`", edits)
        else:
            pending[:0] = ast.iter_child_nodes(node)


class _UnknownError(Exception):
    """A value of a helper depends on something that the call does not show."""


def _written_out(site: FunctionContext, call: ast.Call) -> ast.expr | None:
    """A call of a helper as the expression that it returns; None for anything else, or if it cannot be written out."""
    helper = site.definition(call.func)
    if helper is None or not _is_helper(site, helper, DEPTH):
        return None
    passed = all_arguments(call, helper.parameters)
    # The argument may be evaluated later, twice, or not at all.
    if passed is None or not all(map(_may_be_passed, passed.values())):
        return None
    given = {*call.args, *(keyword.value for keyword in call.keywords)}
    if not all(each in given or literal_type(each) for each in passed.values()):
        return None
    try:
        return _answer_of(site, site.at(helper), passed)
    except (_UnknownError, KeyError):  # a KeyError for a function that the helper uses as a value
        return None


def _may_be_passed(node: ast.expr) -> bool:
    match node:
        case ast.Call(ast.Name("getattr"), [ast.Name(), ast.Constant()]):
            return True
    return is_plain(node) or (isinstance(node, ast.Lambda) and ast.unparse(node).startswith("lambda:"))


def _is_called(site: FunctionContext, node: ast.expr) -> bool | None:
    """Whether an argument can be called; None if unknown."""
    types = site.seen(node)
    if isinstance(node, NOT_CALLED) or (types and types <= PLAIN_TYPES):
        return False
    return True if isinstance(node, ast.Lambda) else None


def _is_helper(site: FunctionContext, helper: Function, depth: int) -> bool:
    """Whether a function returns a value that depends on a test for None of a parameter, and reads only parameters."""
    inner = site.at(helper)
    plain = all(p.kind in PLAIN_PARAMETERS for p in helper.parameters)
    # The body is `return a`, or `if a: return b` before it.
    *choices, last = body_of(helper.node) or [ast.Pass()]
    branches = [each.body for each in choices if isinstance(each, ast.If) and not each.orelse]
    returned = [branch[0] for branch in branches if len(branch) == 1]
    returns = all(isinstance(each, ast.Return) and each.value is not None for each in (*returned, last))
    if not depth or helper.in_class or helper.decorators or not plain or not returns or len(returned) < len(choices):
        return False
    calls = list(nodes_in(helper.node, ast.Call))
    helpers = [f for c in calls if (f := inner.definition(c.func)) and f.owner != helper.owner]
    known = {p.name for p in helper.parameters} | {f.node.name for f in helpers} | {"callable", "isfunction"}
    read = names_in(*helper.node.body)
    tests = any(tests_for_none(helper.node, p.name) for p in helper.parameters)
    return read <= known and all(_is_helper(inner, f, depth - 1) for f in helpers) and (tests or bool(helpers))


def _answer_of(site: FunctionContext, inner: FunctionContext, passed: Mapping[str, ast.expr]) -> ast.expr:
    """The value that a helper returns, in terms of its caller."""
    *choices, last = body_of(inner.node)
    answer = last.value  # type: ignore[attr-defined]
    for each in reversed(choices):
        answer = ast.IfExp(each.test, each.body[0].value, answer)  # type: ignore[attr-defined]
    return _Writer(site, inner, passed).visit(deepcopy(answer))  # type: ignore[no-any-return]


class _Writer(ast.NodeTransformer):
    """Writes expressions of a helper in terms of its caller.

    Args:
        site: the caller.
        inner: the helper.
        passed: the arguments, by parameter.
    """

    def __init__(self, site: FunctionContext, inner: FunctionContext, passed: Mapping[str, ast.expr]) -> None:
        self.site, self.inner, self.passed = site, inner, passed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(self.passed[node.id], ast.Lambda):
            raise _UnknownError
        return self.passed[node.id]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        match new := self.generic_visit(node):
            case ast.UnaryOp(ast.Not(), ast.Compare(left, [ast.IsNot()], right)):
                return ast.Compare(left, [ast.Is()], right)
        return new

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if not isinstance(node.test, ast.Call) or called_name(node.test) not in ("callable", "isfunction"):
            return self.generic_visit(node)
        asked = node.test.args[0]
        is_called = _is_called(self.site, self.passed[asked.id]) if isinstance(asked, ast.Name) else None
        if is_called is None:
            raise _UnknownError
        return self.visit(node.body if is_called else node.orelse)  # type: ignore[no-any-return]

    def visit_Call(self, call: ast.Call) -> ast.expr:
        called = self.passed.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if isinstance(called, ast.Lambda) and not call.args and not call.keywords:
            return called.body
        helper = self.inner.definition(call.func)
        given = bind_arguments(call, helper.parameters) if helper and not called else None
        passed = {name: self.passed[arg.id] for name, arg in (given or {}).items() if isinstance(arg, ast.Name)}
        if helper is None or len(passed) < len(helper.parameters):
            raise _UnknownError
        return _answer_of(self.site, self.inner.at(helper), passed)


RULE = MendRule("none_helpers", MendKind.EXACT, said(FROM_OPTIONAL, LAMBDA, NO_BUILTIN, PASSED_MODULE), find)
