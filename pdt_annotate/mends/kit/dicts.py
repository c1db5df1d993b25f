"""Dicts with names as keys: the items that a display has, and that statements give a local."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Mapping

from pdt_annotate.mends.kit.blocks import LOOPS, before
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import INNER
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.scopes import names_in

HIDING = (*LOOPS, *INNER, ast.Try, Scope)
"""Code that may run more than once, later, or not to its end."""


def items_of(value: ast.expr) -> Mapping[str, ast.expr] | None:
    """The values of a dict by name; None if the names are not written out."""
    names, values = list[object](), list[ast.expr]()
    match value:
        case ast.Call(ast.Name("dict"), [], keywords):
            names, values = [each.arg for each in keywords], [each.value for each in keywords]
        case ast.Dict(keys, values):
            names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
        case _:
            return None
    are_written = all(isinstance(name, str) and _is_word(name) and names.count(name) == 1 for name in names)
    return dict(zip(map(str, names), values, strict=True)) if are_written else None


def _is_word(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def touching(tree: ast.AST, name: str) -> set[ast.Name]:
    """The places that use a local in another way than to pass its items."""
    nodes = list(ast.walk(tree))
    passed = {node.value for node in nodes if isinstance(node, ast.keyword) and node.arg is None}
    return {node for node in nodes if isinstance(node, ast.Name) and node.id == name and node not in passed}


def items_set(statement: ast.stmt, name: str) -> Mapping[str, ast.expr] | None:
    """The items that a statement gives a local; None if it does something else."""
    items: Mapping[str, ast.expr] | None = None
    match statement:
        case ast.Assign([ast.Name()], value):
            items = items_of(value)
        case ast.Assign([ast.Subscript(ast.Name(), ast.Constant(str(word)))], value) if _is_word(word):
            items = {word: value}
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(), "update"), args, keywords)):
            items = items_of(args[0] if args and not keywords else ast.Call(ast.Name("dict"), args, keywords))
    return items if len(touching(statement, name)) == 1 and name not in names_in(*(items or {}).values()) else None


def settings_before(site: FunctionContext, node: ast.AST, name: str) -> list[ast.stmt] | None:
    """The statements that gave a local its items when a node is reached, in order; None if they are not known."""
    found = list[ast.stmt]()
    for statement in (each for each in before(site, node) if touching(each, name)):
        found.insert(0, statement)
        if items_set(statement, name) is None:
            return None
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            around = {*site.around(node)} - {*site.around(statement)}
            tests = (each.test for each in around if isinstance(each, (ast.If, ast.IfExp)))
            hiding = (each for each in around if isinstance(each, HIDING))
            return None if any(touching(each, name) for each in (*tests, *hiding)) else found
    return None
