"""A choice between functions in a local becomes a choice between their calls.

Message: `function cannot be used as a value`, `undefined value act`, `has no attribute or method '__call__'`.
Kind: exact.
Needs: the local is bound by one choice, whose tests are of names, attributes and constants that nothing changes
    afterwards, and is only called, by what follows it in the same body.
Before:
    act = F.relu if self.hard else F.gelu
    return act(x)
After:
    return F.relu(x) if self.hard else F.gelu(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, NO_CALL, UNDEFINED
from pdt_annotate.search.mend.local_functions import blocks
from pdt_annotate.search.mend.rule import MendRule
from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.search.mend.spelled import ATOM, CHOICE, OR, Expression, is_plain, loads, put_in, spell, stores
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure


@dataclass(frozen=True)
class _Choice:
    """One callable, or a test with the choices on both sides."""

    value: ast.expr
    body: _Choice | None = None
    orelse: _Choice | None = None


def is_asked_for(failure: Failure) -> bool:
    return any(message.is_in(failure.message) for message in (FUNCTION_VALUE, NO_CALL, UNDEFINED))


def find(site: MendSite) -> Iterator[Mend]:
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            name, choice = _read(statement)
            if choice is None or choice.body is None or not _is_settled(site, statement, choice):
                continue
            edits = _edits(site, name, choice, statement, block[index + 1 :])
            if edits:
                summary = f"`{name}` is chosen where it is called"
                yield site.mend(RULE.name, MendKind.EXACT, statement, summary, [*edits, site.remove(statement)])


def _read(statement: ast.stmt) -> tuple[str, _Choice | None]:
    """The name that a statement binds to a choice of callables, and that."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, _choice(statement.value)
    if isinstance(statement, ast.If) and len(statement.body) == len(statement.orelse) == 1:
        (name, body), (other, orelse) = _read(statement.body[0]), _read(statement.orelse[0])
        if name == other and body and orelse:
            return name, _Choice(statement.test, body, orelse)
    return "", None


def _choice(value: ast.expr) -> _Choice | None:
    if isinstance(value, ast.IfExp):
        body, orelse = _choice(value.body), _choice(value.orelse)
        return _Choice(value.test, body, orelse) if body and orelse else None
    return _Choice(value) if is_plain(value) and isinstance(value, (ast.Name, ast.Attribute)) else None


def _parts(choice: _Choice) -> Iterator[ast.expr]:
    yield choice.value
    for inner in filter(None, (choice.body, choice.orelse)):
        yield from _parts(inner)


def _is_settled(site: MendSite, statement: ast.stmt, choice: _Choice) -> bool:
    """Whether all that a choice reads stays what it is."""
    parts = [n for part in _parts(choice) for n in ast.walk(part)]
    allowed = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)
    if not all(isinstance(n, (*allowed, ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context)) for n in parts):
        return False
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    stored = [n for name in names for n in stores(site.node, name)]
    attributes = {n.attr for n in parts if isinstance(n, ast.Attribute)}
    changed = (n for n in ast.walk(site.node) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load))
    end = statement.end_lineno or statement.lineno
    return all(n.lineno < statement.lineno for n in stored) and not any(
        n.attr in attributes and n.lineno > end for n in changed
    )


def _edits(
    site: MendSite, name: str, choice: _Choice, statement: ast.stmt, behind: Sequence[ast.stmt]
) -> list[Edit] | None:
    """The choice in the place of each call; None where the name is used otherwise, or elsewhere."""
    uses = [use for each in behind for use in loads(each, name)]
    stored = [n for n in stores(site.node, name) if n not in ast.walk(statement)]
    in_loop = any(isinstance(n, (ast.For, ast.While)) and statement in ast.walk(n) for n in ast.walk(site.node))
    if not uses or stored or in_loop or len(uses) != len(loads(site.node, name)):
        return None
    calls = [site.parents[use] for use in uses]
    if not all(isinstance(c, ast.Call) and c.func is use for c, use in zip(calls, uses, strict=True)):
        return None
    if any(one is not other and other in ast.walk(one) for one in calls for other in calls):
        return None
    return [put_in(site, call, _called(site, choice, call)) for call in calls if isinstance(call, ast.Call)]


def _called(site: MendSite, choice: _Choice, call: ast.Call) -> Expression:
    if choice.body is None or choice.orelse is None:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        value = Expression(site.source(choice.value), ATOM)
        return spell(site, call, lambda node: value if node is call.func and is_name(node, name) else None)
    test = spell(site, choice.value, lambda _: None).at_least(OR)
    body, orelse = (_called(site, each, call) for each in (choice.body, choice.orelse))
    return Expression(f"{body.at_least(OR)} if {test} else {orelse.at_least(CHOICE)}", CHOICE)


RULE = MendRule("local_callables", MendKind.EXACT, is_asked_for, find)
