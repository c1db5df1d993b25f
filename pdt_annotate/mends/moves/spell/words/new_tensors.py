"""Tensors of old constructors: `Variable(x)`, `torch.Tensor([1])`, `x.new([1])`, `x.new_tensor(y)`."""

import ast

from pdt_annotate.mends.kit.context import DTYPES, TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, Expression, as_float, is_plain, spell
from pdt_annotate.mends.moves.spell.words.calls import MADE

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
    of = spell(site, base).at_least(ATOM)
    named = {"dtype": f"{of}.dtype", "device": f"{of}.device", **named}
    options = (f"{name}={value}" for name, value in named.items())
    return _tensor(site, ", ".join([spell(site, call.args[0]).at_least(CHOICE), *options]))
