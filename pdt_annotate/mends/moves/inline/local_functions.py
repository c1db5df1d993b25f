"""A call of a local lambda, or of a local `def` that only returns an expression, is replaced by this expression.

`map` with a lambda, a function or a `functools.partial` becomes a comprehension.

Message: `Lambda aren't supported`, `function definitions aren't supported`, `function cannot be used as a value`,
    `builtin cannot be used as a value`.
Kind: Exact.
Needs:
    - The local variable is assigned once. Later code in the same block only calls it, or passes it to `map`.
    - Each argument of a call is a name, an attribute or a constant. One argument may be another expression, if the
      function always evaluates this parameter, exactly once, and before any call.
    - At each call, all names in the expression mean the same as in the function.
    - The result of `map` is unpacked at once, or passed to a function such as `list`, `tuple` or `sum`. It may also be
      assigned to a variable over which one later loop or call iterates, if no name in the lambda changes before that.
Before:
    merge = lambda t: t.reshape(n, -1).transpose(0, 1)
    q, k = map(lambda t: t.neg(), (keys, values))
    return merge(q), merge(k)
After:
    q, k = [t.neg() for t in (keys, values)]
    return q.reshape(n, -1).transpose(0, 1), k.reshape(n, -1).transpose(0, 1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import DEFINITION, FUNCTION_VALUE, LAMBDA
from pdt_annotate.mends.kit.blocks import blocks, is_in_loop, outermost
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    ATOM,
    OR,
    Expression,
    is_hidden,
    is_plain,
    loads,
    may_stand,
    names_for,
    put_in,
    spell,
    stores,
    strength,
)
from pdt_annotate.source.definitions import Definition
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

AT_ONCE = ("all", "any", "max", "min", "sum")
GO_OVER = ("zip", "enumerate", "list", "tuple", "map", "sum")


@dataclass(frozen=True)
class _Local:
    """A function in a local: the statement that binds it, its parameters, and the expression that it returns."""

    name: str
    statement: ast.stmt
    parameters: list[str]
    body: ast.expr


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _maps(site)
    site = outermost(site)
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            local = _read(statement)
            edits = _edits(site, local, block[index + 1 :]) if local and len(block) > 1 else None
            if local and edits:
                summary = f"write the code of `{local.name}` where it is called"
                yield site.mend(statement, summary, [*edits, site.remove(statement)])


def _read(statement: ast.stmt) -> _Local | None:
    if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
        last = statement.body[-1]
        if len(statement.body) > 1 or not isinstance(last, ast.Return) or last.value is None:
            return None
        name, args, body = statement.name, statement.args, last.value
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda) and len(statement.targets) == 1:
        [target] = statement.targets
        if not isinstance(target, ast.Name):
            return None
        name, args, body = target.id, statement.value.args, statement.value.body
    else:
        return None
    parameters = _parameters(args)
    return None if parameters is None else _Local(name, statement, parameters, body)


def _parameters(args: ast.arguments) -> list[str] | None:
    """The parameters that a call must pass by position; None if there are others."""
    if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
        return None
    return [arg.arg for arg in (*args.posonlyargs, *args.args)]


def _edits(site: FunctionContext, local: _Local, rest: Sequence[ast.stmt]) -> list[Edit] | None:
    """Its body in the place of each call; None if it is used otherwise or elsewhere, or may not be written out."""
    uses = [use for statement in rest for use in loads(statement, local.name)]
    definitions = [n for n in ast.walk(site.node) if isinstance(n, ast.FunctionDef) and n.name == local.name]
    once = len(stores(site.node, local.name)) + len(definitions) == 1
    if not uses or not once or len(uses) != len(loads(site.node, local.name)):
        return None
    calls = [_use(site, local, use) for use in uses]
    places = [each[0] for each in calls if each]
    are_nested = any(one is not other and other in ast.walk(one) for one in places for other in places)
    return None if None in calls or are_nested else [put_in(site, *each) for each in calls if each]


def _use(site: FunctionContext, local: _Local, use: ast.Name) -> tuple[ast.expr, Expression] | None:
    """The expression to replace for one use of the name, and its replacement."""
    parent = site.parents[use]
    if not isinstance(parent, ast.Call):
        return None
    # A comprehension or a function around the call may bind a name that the body reads.
    free = {n.id for n in ast.walk(local.body) if isinstance(n, ast.Name)} - set(local.parameters)
    is_inner = any(isinstance(outer, Definition) and outer is not site.node for outer in site.around(parent))
    if is_inner or is_hidden(site, parent, free):
        return None
    if parent.func is not use or parent.keywords or len(parent.args) != len(local.parameters):
        return None
    passed = dict(zip(local.parameters, parent.args, strict=True))
    if any(isinstance(arg, ast.Starred) for arg in parent.args) or not may_stand(local.body, passed):
        return None
    values = {name: Expression(site.source(arg), strength(arg)) for name, arg in passed.items()}
    return parent, spell(site, local.body, names_for(values))


def _maps(site: FunctionContext) -> Iterator[Mend]:
    for call in ast.walk(site.node):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or len(call.args) < 2 or call.keywords:
            continue
        if call.func.id != "map" or "map" in site.local_names or any(isinstance(arg, ast.Starred) for arg in call.args):
            continue
        place, new = _place(site, call), _comprehension(site, call)
        if place is call and new is not None and _is_made_a_tuple(site, call):
            new = Expression(new.text[1:-1], ATOM)
        if place is not None and new is not None:
            summary = f"write `map` as `{new.text}`"
            yield site.mend(call, " ".join(summary.split()), [put_in(site, place, new)])


def _place(site: FunctionContext, call: ast.Call) -> ast.expr | None:
    """The node that becomes the comprehension: the call, or the `list` around it; None if it is not used up at once."""
    parent = site.parents[call]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        [target] = parent.targets
        is_unpacked = isinstance(target, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in target.elts)
        return call if is_unpacked or _is_read_once(site, parent, call) else None
    if _is_made_a_tuple(site, call):
        return call
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.args == [call]:
        if parent.func.id in AT_ONCE and parent.func.id not in site.local_names:
            return call
        return parent if parent.func.id == "list" and "list" not in site.local_names and not parent.keywords else None
    return None


def _is_made_a_tuple(site: FunctionContext, call: ast.Call) -> bool:
    """Whether `tuple` takes the result: then it takes a generator, without brackets, that other rules look for."""
    parent = site.parents[call]
    return is_call(parent, "tuple") and parent.args == [call] and "tuple" not in site.local_names


def _is_read_once(site: FunctionContext, assign: ast.Assign, call: ast.Call) -> bool:
    """Whether the assigned name is iterated over once, after the assignment, and nothing changes in between."""
    [target] = assign.targets
    if not isinstance(target, ast.Name) or loads(call.args[0], target.id):
        return False
    later = [n for n in loads(site.node, target.id) if n.lineno > (assign.end_lineno or assign.lineno)]
    read = {n.id for n in ast.walk(call) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - {target.id}
    stored = [n for name in read for n in stores(site.node, name)]
    if len(later) != 1 or is_in_loop(site, assign):
        return False
    return not any(assign.lineno < n.lineno < later[0].lineno for n in stored) and _is_gone_over(site, later[0])


def _is_gone_over(site: FunctionContext, name: ast.Name) -> bool:
    parent = site.parents[name]
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return parent.func.id in GO_OVER and name in parent.args
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is name
    return isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple)


def _comprehension(site: FunctionContext, call: ast.Call) -> Expression | None:
    function, *iterables = call.args
    names = _parameters(function.args) if isinstance(function, ast.Lambda) else None
    if isinstance(function, ast.Lambda):
        body = site.source(function.body)
        body = f"({body})" if "\n" in body else body
    else:
        taken = names_inside(site.node)
        names = [site.free_name(each, taken) for each in ("each", "other", "third")[: len(iterables)]]
        body = _call(site, function, names)
    if names is None or not body or len(names) != len(iterables):
        return None
    spelled = [spell(site, each) for each in iterables]
    over = spelled[0].at_least(OR) if len(spelled) == 1 else f"zip({', '.join(each.text for each in spelled)})"
    return Expression(f"[{body} for {', '.join(names)} in {over}]", ATOM)


def _call(site: FunctionContext, function: ast.expr, arguments: Sequence[str]) -> str:
    """A call of a function, or of the function of a partial, whose values are the same in every call; "" if neither."""
    if not isinstance(function, ast.Call):
        is_named = is_plain(function) and not isinstance(function, ast.Constant)
        return f"{site.source(function)}({', '.join(arguments)})" if is_named else ""
    if site.meaning(function.func) != "functools.partial" or any(k.arg is None for k in function.keywords):
        return ""
    called, values = function.args[:1], [*function.args[1:], *(k.value for k in function.keywords)]
    if not called or isinstance(called[0], ast.Constant) or not all(map(is_plain, [*called, *values])):
        return ""
    first = [site.source(each) for each in function.args[1:]]
    named = [f"{each.arg}={site.source(each.value)}" for each in function.keywords]
    return f"{site.source(called[0])}({', '.join([*first, *arguments, *named])})"


RULE = MendRule("local_functions", MendKind.EXACT, said(LAMBDA, DEFINITION, FUNCTION_VALUE), find)
