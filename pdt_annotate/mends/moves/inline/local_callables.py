"""If a local variable holds one of several functions, its calls become a choice between calls of these functions.

Message: `function cannot be used as a value`, `undefined value act`, `has no attribute or method '__call__'`.
Kind: Exact.
Needs:
    - One `if` statement or conditional expression assigns the variable, and later code in the same block only calls it.
      The last branch may end with `return` or `raise` instead.
    - The tests read only names, attributes, constants and sizes of tensors that do not change afterwards.
Before:
    if x.dim() == 3:
        conv = F.conv1d
    elif x.dim() == 4:
        conv = F.conv2d
    else:
        raise ValueError(x.shape)
    return conv(x, self.weight)
After:
    if not (x.dim() == 3 or x.dim() == 4):
        raise ValueError(x.shape)
    return F.conv1d(x, self.weight) if x.dim() == 3 else F.conv2d(x, self.weight)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, NO_CALL, UNDEFINED
from pdt_annotate.mends.kit.blocks import blocks, is_in_loop
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    AND,
    ATOM,
    CHOICE,
    NOT,
    OR,
    Expression,
    is_plain,
    loads,
    put_in,
    spell,
    stores,
)
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

ELSE = re.compile(rb"^[ \t]*else[ \t]*:", re.MULTILINE)
RESHAPING = frozenset({"resize_", "resize_as_", "set_", "squeeze_", "unsqueeze_", "t_", "transpose_", "data"})
"""Methods and attributes that change the sizes of a tensor in place."""

ALLOWED = (
    *(ast.IfExp, ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call),
    *(ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context),
)
"""The nodes of a choice."""


@dataclass(frozen=True)
class _Bound:
    """A local that is bound to one value, or to a conditional expression of several.

    If no `test` holds, the function is left by `otherwise` instead.
    """

    name: str
    choice: ast.expr
    tests: tuple[ast.expr, ...] = ()
    otherwise: tuple[ast.stmt, ...] = ()


def find(site: FunctionContext) -> Iterator[Mend]:
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            local = _read(statement)
            if local is None or not _is_settled(site, statement, local.choice):
                continue
            if not isinstance(local.choice, ast.IfExp) and not isinstance(statement, ast.If):
                continue  # one function, which the compiler reads in a local
            edits = _edits(site, local, statement, block[index + 1 :])
            if edits:
                summary = f"choose between the functions in `{local.name}` where it is called"
                yield site.mend(statement, summary, [*edits, _rest(site, statement, local)])


def _read(statement: ast.stmt) -> _Bound | None:
    """The local that a statement binds to a choice, if that is all that it does."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        values = _values(statement.value)
        can_be_chosen = all(is_plain(value) and isinstance(value, (ast.Name, ast.Attribute)) for value in values)
        return _Bound(statement.targets[0].id, statement.value) if can_be_chosen else None
    if not isinstance(statement, ast.If) or len(statement.body) != 1:
        return None
    body = _read(statement.body[0])
    if body is None or body.otherwise:
        return None
    if statement.orelse and isinstance(statement.orelse[-1], (ast.Raise, ast.Return)):
        return _Bound(body.name, body.choice, (statement.test,), tuple(statement.orelse))
    orelse = _read(statement.orelse[0]) if len(statement.orelse) == 1 else None
    if orelse is None or orelse.name != body.name:
        return None
    choice = ast.IfExp(statement.test, body.choice, orelse.choice)
    tests = (statement.test, *orelse.tests) if orelse.tests else ()
    return _Bound(body.name, choice, tests, orelse.otherwise)


def _values(choice: ast.expr) -> list[ast.expr]:
    return [*_values(choice.body), *_values(choice.orelse)] if isinstance(choice, ast.IfExp) else [choice]


def _is_settled(site: FunctionContext, statement: ast.stmt, choice: ast.expr) -> bool:
    """Whether nothing changes the values that a choice reads, sizes of tensors included."""
    nodes = list(ast.walk(choice))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    reshapes = any(getattr(node, "attr", "") in RESHAPING for node in ast.walk(site.node))
    if not all(isinstance(node, ALLOWED) for node in nodes) or not all(map(_asks_for_size, calls)):
        return False
    if calls and (reshapes or "len" in site.local_names):
        return False
    stored = [each for node in nodes if isinstance(node, ast.Name) for each in stores(site.node, node.id)]
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    changed = (n for n in ast.walk(site.node) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load))
    end = statement.end_lineno or statement.lineno
    is_changed = any(node.attr in attributes and node.lineno > end for node in changed)
    return not is_changed and all(node.lineno < statement.lineno for node in stored)


def _asks_for_size(call: ast.Call) -> bool:
    match call:
        case ast.Call(ast.Attribute(attr="dim" | "size"), _, []) | ast.Call(
            ast.Name("len"), [ast.Attribute(attr="shape")], []
        ):
            return True
    return False


def _edits(site: FunctionContext, local: _Bound, statement: ast.stmt, rest: Sequence[ast.stmt]) -> list[Edit] | None:
    """The choice in the place of each use; None if the name is used otherwise, or elsewhere."""
    uses = [use for each in rest for use in loads(each, local.name)]
    stored = [n for n in stores(site.node, local.name) if n not in ast.walk(statement)]
    if not uses or stored or is_in_loop(site, statement) or len(uses) != len(loads(site.node, local.name)):
        return None
    places = [parent for use in uses if isinstance(parent := site.parents[use], ast.Call) and parent.func is use]
    inside = [place for outer in places for place in places if place in ast.walk(outer)]
    if len(places) < len(uses) or len(inside) > len(places):
        return None
    return [put_in(site, place, _written(site, local.choice, place)) for place in places]


def _written(site: FunctionContext, choice: ast.expr, place: ast.Call) -> Expression:
    if not isinstance(choice, ast.IfExp):
        function = Expression(site.source(choice), ATOM)
        return spell(site, place, lambda node: function if node is place.func else None)
    body, orelse = (_written(site, each, place) for each in (choice.body, choice.orelse))
    test = spell(site, choice.test).at_least(OR)
    return Expression(f"{body.at_least(OR)} if {test} else {orelse.at_least(CHOICE)}", CHOICE)


def _rest(site: FunctionContext, statement: ast.stmt, local: _Bound) -> Edit:
    """The edit of the statement: only an arm that leaves the function stays."""
    if not local.otherwise:
        return site.remove(statement)
    tests = [spell(site, test) for test in local.tests]
    held = Expression(" or ".join(test.at_least(AND) for test in tests), OR) if len(tests) > 1 else tests[0]
    start, _ = site.span(statement)
    stop, _ = site.span(local.otherwise[0])
    *_, orelse = ELSE.finditer(site.text.body, start, stop)
    return Edit(start, f"if not {held.at_least(NOT)}:", removed=orelse.end() - start)


RULE = MendRule("local_callables", MendKind.EXACT, said(FUNCTION_VALUE, NO_CALL, UNDEFINED), find)
