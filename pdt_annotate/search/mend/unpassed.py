"""Choices that hang on what `*args` and `**kwargs` take, and that nobody takes where these never took anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.search.mend.site import MendSite

ASKING = (
    *(ast.Expression, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)
"""What a test of them is made of, beside `kwargs.get`."""


def own_variadics(site: MendSite) -> dict[str, object]:
    """The variadic parameters, each with what it is where nothing is passed."""
    args = site.node.args
    return {arg.arg: empty for arg, empty in ((args.vararg, ()), (args.kwarg, {})) if arg}


def untaken_choices(site: MendSite) -> Iterator[ast.If]:
    """The statements that do nothing where nothing is passed, and which the function can spare."""
    empty = own_variadics(site)
    for node in ast.walk(site.node):
        if isinstance(node, ast.If) and not node.orelse and _is_false(node.test, empty):
            block = getattr(site.parents[node], "body", [])
            if node in block and len(block) > 1:
                yield node


def _is_false(test: ast.expr, empty: dict[str, object]) -> bool:
    """Whether a test asks for variadic parameters alone, and is false where they are empty."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)} - {"len"}
    if not names or not names <= empty.keys() or not all(_is_asking(node) for node in ast.walk(test)):
        return False
    try:
        return not eval(compile(ast.Expression(test), "<test>", "eval"), {**empty, "__builtins__": {"len": len}})
    except Exception:
        return False


def _is_asking(node: ast.AST) -> bool:
    return isinstance(node, ASKING) or (isinstance(node, ast.Attribute) and node.attr == "get")
