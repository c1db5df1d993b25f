"""The statements of one scope in source order, and the names that they bind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdt_annotate.rewrite.outline import Reach
from pdt_annotate.source.imports import dotted_name
from pdt_annotate.source.survey import Scope

_PLAIN = (ast.With, ast.AsyncWith, ast.ExceptHandler, ast.match_case)
_ARMS = ("body", "handlers", "cases", "orelse", "finalbody")


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement, or what binds names in front of an arm of one: the handler of `except E as e`, the pattern of
    `case x`."""

    node: ast.stmt | ast.excepthandler | ast.pattern
    reach: Reach


def statements(
    body: Iterable[ast.stmt | ast.excepthandler | ast.match_case], reach: Reach = Reach.ALWAYS
) -> Iterator[Statement]:
    """All statements of the scope, into every branch and loop, but into no other scope."""
    for node in body:
        yield Statement(node.pattern if isinstance(node, ast.match_case) else node, reach)
        if not isinstance(node, Scope):
            yield from inner_statements(node, reach)


def inner_statements(node: ast.AST, reach: Reach = Reach.ALWAYS) -> Iterator[Statement]:
    """All statements in the branches of a compound statement, with its arms that bind names."""
    body_reach, other_reach = _branch_reach(node)
    for arm in _ARMS:
        yield from statements(getattr(node, arm, ()), max(reach, body_reach if arm == "body" else other_reach))


def _branch_reach(node: ast.AST) -> tuple[Reach, Reach]:
    """When the statement's own body runs, and when its other arms do."""
    if isinstance(node, _PLAIN):
        return Reach.ALWAYS, Reach.ALWAYS
    if isinstance(node, ast.If):
        test, negated = node.test, False
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, negated = test.operand, True
        if dotted_name(test).rpartition(".")[2] == "TYPE_CHECKING":
            return (Reach.ALWAYS, Reach.TYPING) if negated else (Reach.TYPING, Reach.ALWAYS)
    return Reach.SOMETIMES, Reach.SOMETIMES


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds in its scope, with those of an import."""
    if isinstance(node, Scope):
        yield node.name
    elif isinstance(node, ast.ExceptHandler):
        yield from filter(None, [node.name])
    elif isinstance(node, ast.pattern):
        captured = (getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(node))
        yield from filter(None, captured)
    elif not (isinstance(node, ast.AnnAssign) and node.value is None):
        yield from _targets(node)
        yield from (name for name, _ in imported_names(node))


def _targets(node: ast.AST) -> Iterator[str]:
    """The names that are stored to, or deleted, by the statement itself."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store | ast.Del):
            yield child.id
        elif isinstance(child, ast.withitem | ast.Tuple | ast.List | ast.Starred):
            yield from _targets(child)


def imported_names(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with the dotted name of what it is bound to; nothing for a star."""
    if isinstance(node, ast.ImportFrom):
        module = from_module(node)
        origin = module if module.endswith(".") else f"{module}."
        yield from ((each.asname or each.name, origin + each.name) for each in node.names if each.name != "*")
    elif isinstance(node, ast.Import):
        for each in node.names:
            top = each.name.partition(".")[0]
            yield (each.asname, each.name) if each.asname else (top, top)


def from_module(node: ast.ImportFrom) -> str:
    """What stands between `from` and `import`."""
    return "." * node.level + (node.module or "")
