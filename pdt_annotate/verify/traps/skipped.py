"""Whether it changes anything that a function around another is skipped: one that only calls it, and looks on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from pdt_annotate.source.syntax import called_name

LOOKING_ON = {"record_function", "catch_warnings", "nullcontext", "range", "annotate"}
"""Contexts that change nothing of what is computed inside."""

CHANGING = {
    "append",
    "extend",
    "insert",
    "remove",
    "pop",
    "clear",
    "update",
    "setdefault",
    "popitem",
    "sort",
    "reverse",
}


def only_passes_on(definition: ast.AST | None, is_inner: Callable[[ast.Call], bool]) -> bool:
    """Whether a function hands its arguments to the inner one as they are, and returns what that returns.

    What it raises itself, it does before; so a check is something that it does.

    Args:
        is_inner: whether a call is one of the inner function.
    """
    if not isinstance(definition, ast.FunctionDef):
        return False
    inner = [node for node in ast.walk(definition) if isinstance(node, ast.Call) and is_inner(node)]
    if not inner or not all(_passes_all(call, definition.args) for call in inner):
        return False
    results = {name for node in ast.walk(definition) if _is_one_of(node, inner) for name in _assigned(node)}
    returned = [node.value for node in ast.walk(definition) if isinstance(node, ast.Return) and node.value]
    if not all(each in inner or (isinstance(each, ast.Name) and each.id in results) for each in returned):
        return False
    bare = [node for node in ast.walk(definition) if isinstance(node, ast.Expr) and node.value in inner]
    if any(node not in definition.body for node in bare):
        return False
    return not any(_changes(node, inner, results | _parameters(definition.args)) for node in ast.walk(definition))


def _is_one_of(node: ast.AST, calls: list[ast.Call]) -> bool:
    return isinstance(node, ast.Assign) and node.value in calls


def _assigned(node: ast.AST) -> Iterator[str]:
    for target in getattr(node, "targets", [getattr(node, "target", None)]):
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name)) if target else ()


def _parameters(args: ast.arguments) -> set[str]:
    named = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    return named | {each.arg for each in (args.vararg, args.kwarg) if each}


def _passes_all(call: ast.Call, args: ast.arguments) -> bool:
    """Whether a call passes every parameter as it came; `super().f(x)` and the like leave out `self`."""
    passed = {part.id for part in (_unstarred(each) for each in call.args) if isinstance(part, ast.Name)}
    passed |= {each.value.id for each in call.keywords if isinstance(each.value, ast.Name)}
    unnamed = sum(not isinstance(_unstarred(each), ast.Name) for each in call.args)
    others = sum(not isinstance(each.value, ast.Name) for each in call.keywords)
    return not unnamed and not others and _parameters(args) - {"self"} <= passed


def _unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def _changes(node: ast.AST, inner: list[ast.Call], kept: set[str]) -> bool:
    """Whether a part of the function changes what goes in or comes out, or under what it is computed, or checks it."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Try | ast.Yield | ast.Await):
        return not isinstance(node, ast.Try) or bool(node.handlers)
    if isinstance(node, ast.With):
        contexts = [each.context_expr for each in node.items]
        return not all(isinstance(each, ast.Call) and called_name(each) in LOOKING_ON for each in contexts)
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return not _is_one_of(node, inner) and not kept.isdisjoint(_assigned(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return node.func.value.id in kept and (_is_in_place(node.func.attr) or node.func.attr in CHANGING)
    return False


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.startswith("__")


def is_of_super(name: str) -> Callable[[ast.Call], bool]:
    """Whether a call is one of the parent's method of a name: `super().f(…)`."""

    def is_inner(call: ast.Call) -> bool:
        func = call.func
        if not (isinstance(func, ast.Attribute) and func.attr == name):
            return False
        return isinstance(func.value, ast.Call) and called_name(func.value) == "super"

    return is_inner
