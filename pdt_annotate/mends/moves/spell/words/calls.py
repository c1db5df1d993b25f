"""Calls of torch and assignments of Tensors in other words, where the words are not a pattern."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TypeGuard

from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.edit_arguments import arguments, exchange, is_of_torch
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, spell
from pdt_annotate.mends.moves.spell.words.word_table import DTYPES_OF_KINDS
from pdt_annotate.values.edits import Edit

FUNCTIONS = frozenset(("norm", "unique"))
"""The methods that Python makes of the functions; the compiler does not know them, or knows other arguments."""
IN_PLACE: Mapping[type[ast.operator], str] = {
    **{ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_", ast.Pow: "pow_", ast.Mod: "remainder_"},
}
KEYWORDS: Mapping[str, str] = {"axis": "dim", "keepdims": "keepdim"}
MADE = frozenset(
    f"torch.{name}{like}"
    for name in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
    for like in ("", "_like")
) | {f"torch.{name}" for name in ("arange", "eye", "linspace", "logspace", "randperm")}
"""The functions that make a tensor, and take `requires_grad` in Python alone."""


def changed(site: FunctionContext, node: ast.AST) -> list[Edit] | None:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return _assigned(site, node, node.targets[0])
    if isinstance(node, ast.AugAssign):
        # `x.data *= y` as `x.data.mul_(y)`.
        target, method = node.target, IN_PLACE.get(type(node.op))
        if not method or not is_of_data(target):
            return None
        new = f"{site.source(target)}.{method}({spell(site, node.value).at_least(CHOICE)})"
        return [site.replace(node, new)] if site.is_always(target.value, *TENSORS) else None
    ways = (_keywords, _as_function, _switch) if isinstance(node, ast.Call) else ()
    return next((change for way in ways if (change := way(site, node))), None)  # type: ignore[arg-type]


def _assigned(site: FunctionContext, assign: ast.Assign, target: ast.expr) -> list[Edit] | None:
    """`a, b = x` as `x.unbind()`, `x.requires_grad = True` as `x.requires_grad_(True)`, `x.data = y + 1` as a copy."""
    if (
        is_of_data(target)
        and site.is_always(target.value, *TENSORS)
        and isinstance(assign.value, (ast.BinOp, ast.Call))
    ):
        return [site.replace(assign, f"{site.source(target)}.copy_({site.source(assign.value)})")]
    if isinstance(target, ast.Attribute) and target.attr == "requires_grad" and site.is_always(target.value, *TENSORS):
        is_switch = isinstance(assign.value, ast.Constant) and isinstance(assign.value.value, bool)
        new = f"{spell(site, target.value).at_least(ATOM)}.requires_grad_({site.source(assign.value)})"
        return [site.replace(assign, new)] if is_switch else None
    if isinstance(target, (ast.Tuple, ast.List)) and site.is_always(assign.value, *TENSORS):
        new = f"{spell(site, assign.value).at_least(ATOM)}.unbind()"
        has_star = any(isinstance(each, ast.Starred) for each in target.elts)
        return None if has_star else [site.replace(assign.value, new)]
    return None


def is_of_data(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _keywords(site: FunctionContext, call: ast.Call) -> list[Edit]:
    """`axis=1` as `dim=1`, `keepdims=True` as `keepdim=True`, `dtype=float` as `dtype=torch.float64`."""
    known, edits = {keyword.arg for keyword in call.keywords}, list[Edit]()
    for keyword in call.keywords if is_of_torch(site, call) else ():
        name, kind = str(keyword.arg), ast.unparse(keyword.value)
        if name in KEYWORDS and "keepdim" not in known and not {"dim", "axis"} <= known:
            edits.append(Edit(site.span(keyword)[0], KEYWORDS[name], removed=len(name)))
        elif name == "dtype" and kind in DTYPES_OF_KINDS and kind not in site.local_names:
            new = site.spell(f"torch.{DTYPES_OF_KINDS[kind]}")
            edits.append(site.replace(keyword.value, new))
    return edits


def _as_function(site: FunctionContext, call: ast.Call) -> list[Edit] | None:
    """`x.norm(dim=1)` as `torch.norm(x, dim=1)`."""
    method, named = call.func, {keyword.arg: keyword.value for keyword in call.keywords}
    if not isinstance(method, ast.Attribute) or method.attr not in FUNCTIONS or not is_of_torch(site, call):
        return None
    power = call.args[0] if call.args else named.get("p")
    is_known = site.is_always(power, "int", "float") if power else method.attr == "norm" and not named
    if site.meaning(method) or is_known:
        return None
    function = site.spell(f"torch.{method.attr}")
    start, end = site.span(method)
    opened = site.text.body.index(b"(", end) + 1
    given = spell(site, method.value).at_least(CHOICE) + (", " if arguments(call) else "")
    return [Edit(start, f"{function}({given}", removed=opened - start)]


def _switch(site: FunctionContext, call: ast.Call) -> list[Edit] | None:
    """A call without `requires_grad`, which only Python knows."""
    for keyword in call.keywords:
        is_switch = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)
        if is_switch and keyword.arg == "requires_grad" and site.meaning(call.func) in MADE:
            edits = exchange(site, call, {keyword: ""})
            wanted = [Edit(site.span(call)[1], ".requires_grad_()")] if keyword.value.value else []  # type: ignore[attr-defined]
            return None if edits is None else [*edits, *wanted]
    return None
