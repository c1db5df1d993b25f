"""If a local variable holds one of several functions, its calls become a choice between calls of these functions.

Message: `function cannot be used as a value`, `undefined value act`, `has no attribute or method '__call__'`.
Kind: Exact.
Needs:
    - One `if` statement or conditional expression assigns the variable, and other code only calls it. A branch may end
      with `return` or `raise` instead.
    - The statement does nothing else, and its tests read only names, attributes, constants and sizes of tensors that do
      not change before the last call. Otherwise, the code from there to the last call is short. It is written into each
      branch of an `if`.
Before:
    act = F.relu if self.fast else F.gelu
    if x.dim() == 3:
        conv = F.conv1d
    else:
        conv = F.conv2d
        x = x.flatten(1, 2)
    return act(conv(x, self.weight))
After:
    if x.dim() == 3:
        conv = F.conv1d
        return F.relu(conv(x, self.weight)) if self.fast else F.gelu(conv(x, self.weight))
    else:
        conv = F.conv2d
        x = x.flatten(1, 2)
        return F.relu(conv(x, self.weight)) if self.fast else F.gelu(conv(x, self.weight))
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, NO_CALL, UNDEFINED
from pdt_annotate.mends.kit.blocks import blocks, calls_of_local
from pdt_annotate.mends.kit.branches import into_branches
from pdt_annotate.mends.kit.construction import may_change
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, OR, Expression, loads, put_in, spell
from pdt_annotate.source.syntax import choices, dotted_name, is_name
from pdt_annotate.values.mends import Mend, MendKind

RESHAPING = frozenset({"resize_", "resize_as_", "set_", "squeeze_", "unsqueeze_", "t_", "transpose_", "data"})
"""Methods and attributes that change the sizes of a tensor in place."""

ALLOWED = (
    *(ast.IfExp, ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call),
    *(ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context),
)
"""The nodes of a choice."""


def find(site: FunctionContext) -> Iterator[Mend]:
    found = defaultdict[str, dict[ast.stmt, ast.expr]](dict)  # by local, what the outermost statements bind it to
    inside = set[ast.AST]()
    for statement in (each for block in blocks(site.node) for each in block if each not in inside):
        if local := _bound(statement):
            name, choice = local
            found[name][statement] = choice
            inside |= set(ast.walk(statement))
    mends = [mend for name, bindings in found.items() for mend in _at_calls(site, name, bindings)]
    yield from mends or (mend for name in found for mend in _in_branches(site, name))


def _bound(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The local that a statement binds to functions, and the choice between them, if that is all that it does."""
    match statement:
        case ast.Assign([ast.Name(name)], choice) if all(map(dotted_name, choices(choice))):
            return name, choice
        case ast.If(test, [one], [other]) if (body := _bound(one)) and (orelse := _bound(other)):
            return (body[0], ast.IfExp(test, body[1], orelse[1])) if body[0] == orelse[0] else None
    return None


def _at_calls(site: FunctionContext, name: str, bindings: dict[ast.stmt, ast.expr]) -> Iterator[Mend]:
    """The calls choose between the functions."""
    for statement, calls in calls_of_local(site, name, *bindings).items():
        choice = bindings[statement]
        # The compiler reads one function in a local.
        if isinstance(choice, ast.IfExp) and _is_settled(site, choice, statement, calls):
            edits = [put_in(site, call, _written(site, choice, call)) for call in calls]
            summary = f"choose between the functions in `{name}` where it is called"
            yield site.mend(statement, summary, [*edits, site.remove(statement)])


def _in_branches(site: FunctionContext, name: str) -> Iterator[Mend]:
    """The code that calls a local is written into the branches that bind it."""
    calls = [site.parents[use] for use in loads(site.node, name)]
    if found := into_branches(site, name, calls, functools.partial(_is_only_binding, site, name)):
        choice, edits = found
        yield site.mend(choice, f"write the code that calls `{name}` into the branches that choose it", edits)


def _is_only_binding(site: FunctionContext, name: str, choice: ast.stmt) -> bool:
    """Whether only a choice binds a local, to functions by their names, and other code only calls it."""
    uses = [node for node in ast.walk(site.node) if is_name(node, name)]
    outer, inside = [site.parents[use] for use in uses], set(ast.walk(choice))
    is_bound = all(
        each.func is use
        if isinstance(each, ast.Call)
        else each in inside and isinstance(each, ast.Assign) and _bound(each)
        for use, each in zip(uses, outer, strict=True)
    )
    return is_bound and isinstance(choice, ast.If) and not site.function.parameter(name)


def _is_settled(site: FunctionContext, choice: ast.expr, statement: ast.stmt, calls: Sequence[ast.Call]) -> bool:
    """Whether nothing changes the values that a choice reads, sizes of tensors included, before the last call."""
    nodes = list(ast.walk(choice))
    asking = [node for node in nodes if isinstance(node, ast.Call)]
    reshapes = any(getattr(node, "attr", "") in RESHAPING for node in ast.walk(site.node))
    are_kept = not asking or not (reshapes or "len" in site.local_names)
    are_known = all(isinstance(node, ALLOWED) for node in nodes) and all(map(_asks_for_size, asking))
    return are_known and are_kept and not may_change(site, choice, statement, calls)


def _asks_for_size(call: ast.Call) -> bool:
    match call:
        case ast.Call(ast.Attribute(attr="dim" | "size"), _, []):
            return True
        case ast.Call(ast.Name("len"), [ast.Attribute(attr="shape")], []):
            return True
    return False


def _written(site: FunctionContext, choice: ast.expr, place: ast.Call) -> Expression:
    if not isinstance(choice, ast.IfExp):
        function = Expression(site.source(choice), ATOM)
        return spell(site, place, lambda node: function if node is place.func else None)
    body, orelse = (_written(site, each, place) for each in (choice.body, choice.orelse))
    test = spell(site, choice.test).at_least(OR)
    return Expression(f"{body.at_least(OR)} if {test} else {orelse.at_least(CHOICE)}", CHOICE)


RULE = MendRule("local_callables", MendKind.EXACT, said(FUNCTION_VALUE, NO_CALL, UNDEFINED), find)
