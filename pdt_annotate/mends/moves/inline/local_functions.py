"""A lambda or a `def` of one expression in a local is written out where it is called.

Message: `Lambda aren't supported`, `function definitions aren't supported`.
Kind: exact.
Needs: the local is bound once, and later code in the same body only calls it, or passes it to `map`; arguments are
    names, attributes or constants, except for one that is read once and before anything else is called; and no name
    means something else at the call.
Before:
    merge = lambda t: t.reshape(n, -1).transpose(0, 1)
    return merge(keys), merge(values)
After:
    return keys.reshape(n, -1).transpose(0, 1), values.reshape(n, -1).transpose(0, 1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import DEFINITION, LAMBDA
from pdt_annotate.mends.kit.blocks import blocks, outermost
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    CHOICE,
    Expression,
    is_hidden,
    loads,
    may_stand,
    names_for,
    put_in,
    spell,
    stores,
    strength,
)
from pdt_annotate.source.definitions import Definition
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

MAPS = ("map", "filter")


@dataclass(frozen=True)
class _Local:
    """A function in a local: the statement that binds it, its parameters, and the expression that it returns."""

    name: str
    statement: ast.stmt
    parameters: tuple[str, ...]
    body: ast.expr


def find(site: FunctionContext) -> Iterator[Mend]:
    site = outermost(site)
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            local = _read(statement)
            edits = _edits(site, local, block[index + 1 :]) if local and len(block) > 1 else None
            if local and edits:
                summary = f"`{local.name}` is written out where it is called"
                yield site.mend(RULE.name, MendKind.EXACT, statement, summary, [*edits, site.remove(statement)])


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
    if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
        return None
    return _Local(name, statement, tuple(arg.arg for arg in (*args.posonlyargs, *args.args)), body)


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
    if isinstance(parent.func, ast.Name) and parent.func.id in MAPS and parent.args[0] is use:
        body = spell(site, local.body)
        return use, Expression(f"lambda {', '.join(local.parameters)}: {body.text}", CHOICE)
    if parent.func is not use or parent.keywords or len(parent.args) != len(local.parameters):
        return None
    passed = dict(zip(local.parameters, parent.args, strict=True))
    if any(isinstance(arg, ast.Starred) for arg in parent.args) or not may_stand(local.body, passed):
        return None
    values = {name: Expression(site.source(arg), strength(arg)) for name, arg in passed.items()}
    return parent, spell(site, local.body, names_for(values))


RULE = MendRule("local_functions", MendKind.EXACT, said(LAMBDA, DEFINITION), find)
