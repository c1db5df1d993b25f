"""Calls of torch, old constructors, and assignments of Tensors in other words, where the words are not a pattern."""

import ast
from collections.abc import Mapping

from pdt_annotate.mends.kit.blocks import is_in_loop
from pdt_annotate.mends.kit.context import DTYPES, TENSORS, FunctionContext
from pdt_annotate.mends.kit.edit_arguments import arguments, call_taking, exchange, is_of_torch
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, Expression, as_float, is_plain, loads, spell, stores
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
VARIABLE = ("torch.autograd.Variable", "torch.autograd.variable.Variable")
MAKERS = MADE | {"torch.from_numpy", "torch.tensor", "torch.Tensor", *DTYPES}
"""The functions of torch whose result has no gradient, unless `requires_grad` is passed."""
FRESH = ("detach", "new", "new_empty", "new_full", "new_ones", "new_tensor", "new_zeros")
"""The methods whose result has no gradient, whatever the tensor has."""
KEEPING = (
    *("byte", "clone", "contiguous", "cpu", "cuda", "double", "expand", "expand_as", "float", "half", "int", "long"),
    *("normal_", "permute", "repeat", "squeeze", "t", "to", "transpose", "type", "type_as", "uniform_", "unsqueeze"),
    *("view", "view_as", "zero_"),
)
"""The methods whose result has a gradient only if the tensor has one."""

LISTS = (ast.List, ast.Tuple, ast.ListComp)


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
        case ast.Call(ast.Attribute(tensor, "numpy"), [], []) if _are_lengths(site, node):
            return [site.replace(node, f"{site.source(tensor)}.long()")]
        case ast.Call():
            return _keywords(site, node) or _as_function(site, node) or _switch(site, node)
        case _:
            return None
    return [site.replace(node, new)] if site.is_always(tensor, *TENSORS) else None


def _are_lengths(site: FunctionContext, node: ast.expr) -> bool:
    """Whether `pack_padded_sequence`, which makes a tensor of int64 of its lengths, takes a value, and nothing else."""
    match site.parents[node]:
        case ast.Assign([ast.Name(name)]):
            uses, is_alone = loads(site.node, name), len(stores(site.node, name)) == 1
            return bool(uses) and is_alone and not is_in_loop(site, node) and all(_are_lengths(site, n) for n in uses)
    call = call_taking(site, node)
    if call is None or site.meaning(call.func) != "torch.nn.utils.rnn.pack_padded_sequence":
        return False
    return node in call.args[1:2] or any(each.arg == "lengths" and each.value is node for each in call.keywords)


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


def newly_made(site: FunctionContext, node: ast.expr) -> Expression | None:
    if not isinstance(node, ast.Call) or len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return None
    if site.meaning(node.func) in VARIABLE:
        # `Variable(x)`, a detached tensor since there are no variables any more, as `x.detach()`.
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        asked = given.pop("requires_grad", None)
        given.pop("volatile", None)
        if given or not (asked is None or isinstance(asked, ast.Constant)):
            return None
        text = spell(site, node.args[0]).at_least(ATOM)
        text += "" if _has_no_gradient(site, node.args[0]) else ".detach()"
        return Expression(text + (".requires_grad_()" if asked is not None and asked.value else ""), ATOM)
    values, method = node.args[0], node.func
    if site.meaning(method) == "torch.Tensor" and not node.keywords and isinstance(values, LISTS):
        floats = as_float(site, values)
        return _tensor(site, floats) if floats else None
    if not isinstance(method, ast.Attribute) or not site.is_always(method.value, *TENSORS):
        return None
    is_new = method.attr == "new" and not node.keywords and isinstance(values, LISTS)
    return _like(site, node, method.value) if is_new or method.attr == "new_tensor" else None


def of_kept_class(site: FunctionContext, node: ast.expr) -> Expression | None:
    """`self.Tensor(x.size())`, if the constructor sets `self.Tensor` to `torch.FloatTensor`: an empty tensor."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    held = site.held(site.self_attribute(node.func))
    names = {value.name for value in held.values}
    dtype = DTYPES.get(names.pop(), "") if len(names) == 1 and not (held.lacking or held.changes) else ""
    if not dtype or not site.is_always(node.args[0], "torch.Size"):
        return None
    text = spell(site, node.args[0]).at_least(CHOICE)
    return Expression(f"{site.spell('torch.empty')}({text}, dtype={site.spell(f'torch.{dtype}')})", ATOM)


def _has_no_gradient(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression makes a tensor that has no gradient and that nothing else holds."""
    if isinstance(node, ast.Attribute):
        return node.attr == "data"
    if not isinstance(node, ast.Call) or any(keyword.arg == "requires_grad" for keyword in node.keywords):
        return False
    if site.meaning(node.func) in MAKERS:
        return True
    if not isinstance(node.func, ast.Attribute) or site.meaning(node.func):
        return False
    return node.func.attr in FRESH or (node.func.attr in KEEPING and _has_no_gradient(site, node.func.value))


def _tensor(site: FunctionContext, arguments: str) -> Expression:
    return Expression(f"{site.spell('torch.tensor')}({arguments})", ATOM)


def _like(site: FunctionContext, call: ast.Call, base: ast.expr) -> Expression | None:
    """`x.new_tensor([1])` as `torch.tensor([1], dtype=x.dtype, device=x.device)`."""
    named = {keyword.arg: spell(site, keyword.value).at_least(CHOICE) for keyword in call.keywords}
    can_repeat = all(map(is_plain, (base.value, base.slice) if isinstance(base, ast.Subscript) else (base,)))
    if not can_repeat or not set(named) <= {"dtype", "device"} or site.is_always(call.args[0], *TENSORS):
        return None
    match base:
        case ast.Attribute(whole, "data") if site.is_always(whole, *TENSORS):
            base = whole
    of = spell(site, base).at_least(ATOM)
    named = {"dtype": f"{of}.dtype", "device": f"{of}.device", **named}
    options = (f"{name}={value}" for name, value in named.items())
    return _tensor(site, ", ".join([spell(site, call.args[0]).at_least(CHOICE), *options]))
