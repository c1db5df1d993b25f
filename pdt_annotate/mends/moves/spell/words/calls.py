"""Calls of torch and assignments of Tensors in other words, where the words are not a pattern."""

import ast
from collections.abc import Mapping

from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.edit_arguments import arguments, exchange, is_of_torch
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, spell
from pdt_annotate.mends.moves.spell.words.word_table import DTYPES_OF_KINDS
from pdt_annotate.values.edits import Edit

FUNCTIONS = frozenset(("norm", "unique"))
"""The methods that Python makes of the functions; the compiler does not know them, or knows other arguments."""
IN_PLACE: Mapping[type[ast.operator], str] = {
    **{ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_", ast.Pow: "pow_", ast.Mod: "remainder_"}
}
KEYWORDS: Mapping[str, str] = {"axis": "dim", "keepdims": "keepdim"}
MADE = frozenset(
    f"torch.{name}{like}"
    for name in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
    for like in ("", "_like")
) | {f"torch.{name}" for name in ("arange", "eye", "linspace", "logspace", "randperm")}
"""The functions that make a tensor, and take `requires_grad` in Python alone."""


def changed(site: FunctionContext, node: ast.AST) -> list[Edit] | None:
    match node:
        case ast.Assign([ast.Attribute(tensor, "data") as target], ast.BinOp() | ast.Call() as value):
            # `x.data = y + 1` as a copy.
            new = f"{site.source(target)}.copy_({site.source(value)})"
        case ast.AugAssign(ast.Attribute(tensor, "data") as target, operator, value) if type(operator) in IN_PLACE:
            # `x.data *= y` as `x.data.mul_(y)`.
            new = f"{site.source(target)}.{IN_PLACE[type(operator)]}({spell(site, value).at_least(CHOICE)})"
        case ast.Assign([ast.Attribute(tensor, "requires_grad")], ast.Constant(bool(switch))):
            new = f"{spell(site, tensor).at_least(ATOM)}.requires_grad_({switch})"
        case ast.Assign([ast.Tuple(targets) | ast.List(targets)], value) if site.is_always(value, *TENSORS):
            new = f"{spell(site, value).at_least(ATOM)}.unbind()"
            return None if any(isinstance(each, ast.Starred) for each in targets) else [site.replace(value, new)]
        case ast.Call():
            return _keywords(site, node) or _as_function(site, node) or _switch(site, node)
        case _:
            return None
    return [site.replace(node, new)] if site.is_always(tensor, *TENSORS) else None


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
    for keyword in call.keywords if site.meaning(call.func) in MADE else ():
        match keyword:
            case ast.keyword("requires_grad", ast.Constant(bool(is_wanted))):
                edits = exchange(site, call, {keyword: ""})
                wanted = [Edit(site.span(call)[1], ".requires_grad_()")] if is_wanted else []
                return None if edits is None else [*edits, *wanted]
    return None
