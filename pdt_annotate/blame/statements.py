"""The statements of a function's syntax tree: their places, and names that they set. Standard library only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

CHANGING = frozenset(("append", "extend", "insert", "setdefault", "update"))
"""Methods that put something into their container."""

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Placed:
    """A statement with the compound statements around it, outermost first."""

    statement: ast.stmt
    around: tuple[ast.stmt, ...] = ()


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without the statements in it; of a compound one, its header."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from ast.walk(child)


def stored_names(statement: ast.stmt) -> set[str]:
    """The variables that a statement itself assigns, defines or imports."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return {node.id for node in own_nodes(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def changed_names(statement: ast.stmt) -> set[str]:
    """The variables that a statement changes in place: `a.append(x)`, `a[k] = x`."""
    nodes = list(own_nodes(statement))
    receivers = [node.value for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
    calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    receivers += [function.value for function in calls if function.attr in CHANGING]
    return {receiver.id for receiver in receivers if isinstance(receiver, ast.Name)}


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement, except nested definitions and exception handlers."""
    if not isinstance(statement, NESTED):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(statement, name, None)
            if block:
                yield block


def statements_in(body: list[ast.stmt], around: tuple[ast.stmt, ...] = ()) -> Iterator[Placed]:
    """Every statement of a block, and of the blocks in it, in source order."""
    for statement in body:
        yield Placed(statement, around)
        for block in blocks(statement):
            yield from statements_in(block, (*around, statement))
