"""If a local variable holds one of several functions, its calls become a choice between calls of these functions.

Message: `function cannot be used as a value`, `undefined value act`, `has no attribute or method '__call__'`.
Kind: Exact.
Needs:
    - One `if` statement or conditional expression assigns the variable, and later code in the same block only calls it.
      The last branch may end with `return` or `raise` instead.
    - If the branches do more, the code from there to the last call is short. It is written into each branch.
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
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, NO_CALL, UNDEFINED
from pdt_annotate.mends.kit.blocks import blocks, bound_until, calls_of_local, names_and_attributes, settled_before
from pdt_annotate.mends.kit.branches import branches_of, into_branches
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import AND, ATOM, CHOICE, NOT, OR, Expression, loads, put_in, spell
from pdt_annotate.source.syntax import choices, dotted_name, is_name
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
    for name, bindings in _bindings(site).items():
        found = calls_of_local(site, name, *bindings)
        for statement, local in bindings.items():
            calls = found.get(statement, [])
            if not (local.otherwise or isinstance(local.choice, ast.IfExp)):
                continue  # one function, which the compiler reads in a local
            if calls and _is_settled(site, local.choice, bound_until(site, statement, calls)):
                edits = [put_in(site, call, _written(site, local.choice, call)) for call in calls]
                summary = f"choose between the functions in `{name}` where it is called"
                yield site.mend(statement, summary, [*edits, _rest(site, statement, local)])
    for block in blocks(site.node):
        yield from _into_branches(site, block)


def _bindings(site: FunctionContext) -> dict[str, dict[ast.stmt, _Bound]]:
    """By local, the outermost statements that do nothing but bind it to functions."""
    found, inside = defaultdict[str, dict[ast.stmt, _Bound]](dict), set[ast.AST]()
    for statement in (each for block in blocks(site.node) for each in block):
        local = _read(statement) if statement not in inside else None
        if local:
            found[local.name][statement] = local
            inside |= set(ast.walk(statement))
    return found


def _into_branches(site: FunctionContext, block: Sequence[ast.stmt]) -> Iterator[Mend]:
    """The code that calls a local is written into the branches that bind it, if they also do other things."""
    for index, choice in reversed(list(enumerate(block))):
        if not isinstance(choice, ast.If) or _read(choice):
            continue
        bound = [name for branch in branches_of(choice) for each in branch if (name := _bound_to_function(each))]
        for name in dict.fromkeys(bound):
            calls = {site.parents[use] for use in loads(site.node, name)}
            around = {outer for call in calls for outer in site.around(call)}
            last = max((number for number, each in enumerate(block) if each in around), default=0)
            moved = block[index + 1 : last + 1]
            if moved and name in settled_before(site, moved[0]) and _is_only_called(site, name, choice):
                edits = into_branches(site, choice, moved)
                if edits is not None:
                    summary = f"write the code that calls `{name}` into the branches that choose it"
                    yield site.mend(choice, summary, edits)
                    return


def _bound_to_function(statement: ast.stmt) -> str:
    local = _read(statement)
    return local.name if local and not local.otherwise else ""


def _is_only_called(site: FunctionContext, name: str, choice: ast.If) -> bool:
    """Whether only a choice binds a local, to functions by their names, and other code only calls it."""
    uses = [node for node in ast.walk(site.node) if is_name(node, name)]
    outer, inside = [site.parents[use] for use in uses], set(ast.walk(choice))
    return not site.function.parameter(name) and all(
        each.func is use
        if isinstance(each, ast.Call)
        else each in inside and isinstance(each, ast.Assign) and _bound_to_function(each)
        for use, each in zip(uses, outer, strict=True)
    )


def _read(statement: ast.stmt) -> _Bound | None:
    """The local that a statement binds to a choice, if that is all that it does."""
    match statement:
        case ast.Assign([ast.Name(name)], choice) if all(map(dotted_name, choices(choice))):
            return _Bound(name, choice)
        case ast.If(test, [one], orelse) if (body := _read(one)) and not body.otherwise:
            if orelse and isinstance(orelse[-1], (ast.Raise, ast.Return)):
                return _Bound(body.name, body.choice, (test,), tuple(orelse))
            other = _read(orelse[0]) if len(orelse) == 1 else None
            if other and other.name == body.name:
                tests = (test, *other.tests) if other.tests else ()
                return _Bound(body.name, ast.IfExp(test, body.choice, other.choice), tests, other.otherwise)
    return None


def _is_settled(site: FunctionContext, choice: ast.expr, bound: Set[str]) -> bool:
    """Whether nothing changes the values that a choice reads, sizes of tensors included, if code binds some names."""
    nodes = list(ast.walk(choice))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    reshapes = any(getattr(node, "attr", "") in RESHAPING for node in ast.walk(site.node))
    are_kept = not calls or not (reshapes or "len" in site.local_names)
    are_known = all(isinstance(node, ALLOWED) for node in nodes) and all(map(_asks_for_size, calls))
    return are_known and are_kept and bound.isdisjoint(names_and_attributes(nodes))


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
