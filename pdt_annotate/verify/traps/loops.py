"""Loops over a list that they change: TorchScript counts its elements once, before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.values.further import Trap
from pdt_annotate.verify.traps.skipped import CHANGING
from pdt_annotate.verify.traps.view import Compiled, View

CODE = "PDT119"


def find(view: View) -> Iterator[Trap]:
    for function in view.functions:
        for node in function.parts:
            if isinstance(node, ast.For):
                yield from _judge(function, node)


def _judge(function: Compiled, loop: ast.For) -> Iterator[Trap]:
    over = ast.unparse(loop.iter)
    for body in _bodies(loop):
        for statement in body:
            if over in _changed(statement) and not isinstance(body[-1], ast.Break | ast.Return | ast.Raise):
                message = (
                    f"the loop changes `{over}` while it goes over it: TorchScript makes as many turns as there were "
                    f"elements before, Python looks each time; go over a copy: `{over}[:]`"
                )
                yield function.trap(CODE, message, statement)


def _bodies(loop: ast.For) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(loop):
        for name in ("body", "orelse"):
            if isinstance(body := getattr(node, name, None), list):
                yield body


def _changed(statement: ast.stmt) -> set[str]:
    """The lists that a statement makes longer or shorter, as the source writes them."""
    if isinstance(statement, ast.Delete):
        return {ast.unparse(each.value) for each in statement.targets if isinstance(each, ast.Subscript)}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        return {ast.unparse(statement.target)} if isinstance(statement.value, ast.List) else set()
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return set()
    func = statement.value.func
    is_change = isinstance(func, ast.Attribute) and func.attr in CHANGING - {"sort", "reverse", "update"}
    return {ast.unparse(func.value)} if isinstance(func, ast.Attribute) and is_change else set()
