"""Tensors of old constructors are made by the functions that replaced them: `Variable`, `torch.Tensor`, `x.new`.

Message: `Class Variable does not have an __init__ function defined`, `has no attribute or method`,
    `Unknown builtin op`, `cannot be used as a value`.
Kind: exact.
Needs: arguments that were sizes, or values, in every call: `x.new(2)` has two elements, `x.new([2])` has one.
Before:
    zeros = Variable(torch.zeros(2))
    target = Variable(x, requires_grad=False)
    shift = x.new(x.size()).fill_(1) + torch.Tensor([3, n / 2])
    pair = x.new_tensor([1, 2])
After:
    zeros = torch.zeros(2)
    target = x.detach()
    shift = x.new_empty(x.size()).fill_(1) + torch.tensor([3.0, n / 2])
    pair = torch.tensor([1, 2], dtype=x.dtype, device=x.device)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, LACKS_MEMBER, NO_INSTANCE, NO_OPERATOR
from pdt_annotate.mends.kit.context import DTYPES, TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, Expression, is_plain, put_in, spell
from pdt_annotate.values.mends import Mend, MendKind

VARIABLE = ("torch.autograd.Variable", "torch.autograd.variable.Variable")
MAKERS = frozenset(
    f"torch.{name}"
    for name in (
        *("arange", "empty", "empty_like", "eye", "from_numpy", "full", "full_like", "linspace", "ones", "ones_like"),
        *("rand", "rand_like", "randint", "randn", "randn_like", "randperm", "tensor", "zeros", "zeros_like", "Tensor"),
    )
) | set(DTYPES)
"""The functions of torch whose result has no gradient, unless `requires_grad` is passed."""
FRESH = ("detach", "new", "new_empty", "new_full", "new_ones", "new_tensor", "new_zeros")
"""The methods whose result has no gradient, whatever the tensor has."""
KEEPING = (
    *("byte", "clone", "contiguous", "cpu", "cuda", "double", "expand", "expand_as", "float", "half", "int", "long"),
    *("normal_", "permute", "repeat", "squeeze", "t", "to", "transpose", "type", "type_as", "uniform_", "unsqueeze"),
    *("view", "view_as", "zero_"),
)
"""The methods whose result has a gradient only if the tensor has one."""

Found = tuple[Expression, tuple[str, ...]]  # the new expression, and the imports that it needs


def find(site: FunctionContext) -> Iterator[Mend]:
    for call in ast.walk(site.node):
        if not isinstance(call, ast.Call) or any(isinstance(arg, ast.Starred) for arg in call.args[:1]):
            continue
        found = _variable(site, call) or _constructor(site, call) or _method(site, call)
        if found is not None:
            new, imports = found
            summary = f"`{' '.join(site.source(call).split())}` is written `{' '.join(new.text.split())}`"
            yield site.mend(RULE.name, MendKind.EXACT, call, summary, [put_in(site, call, new)], imports=imports)


# Variables.


def _variable(site: FunctionContext, call: ast.Call) -> Found | None:
    """`Variable(x)`, a detached tensor since there are no variables any more, as `x.detach()`."""
    if site.meaning(call.func) not in VARIABLE or len(call.args) != 1:
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    asked = given.pop("requires_grad", None)
    given.pop("volatile", None)
    if given or not (asked is None or isinstance(asked, ast.Constant)):
        return None
    text = _atom(site, call.args[0])
    text += "" if _has_no_gradient(site, call.args[0]) else ".detach()"
    return Expression(text + (".requires_grad_()" if asked is not None and asked.value else ""), ATOM), ()


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


# Constructors.


def _constructor(site: FunctionContext, call: ast.Call) -> Found | None:
    """`torch.Tensor(2, 3)` as `torch.empty(2, 3)`, `torch.Tensor([1])` as `torch.tensor([1.0])`."""
    meant, dtype = site.meaning(call.func), ""
    if call.keywords or meant not in ("torch.Tensor", *DTYPES):
        return None
    imports: tuple[str, ...] = ()
    if meant in DTYPES:
        dtype, imports = site.spell(f"torch.{DTYPES[meant]}")
    first = call.args[0] if call.args else None
    if first is not None and _is_range(call.args) and meant in DTYPES and "range" not in site.local_names:
        more = "" if meant == "torch.LongTensor" else f", dtype={dtype}"
        return _call(site, "torch.arange", f"{_text(site, first.args[0])}{more}", imports)  # type: ignore[attr-defined]
    if first is not None and site.is_always(first, "torch.Size"):
        return _call(site, "torch.empty", _text(site, first) + (f", dtype={dtype}" if dtype else ""), imports)
    # The compiler knows the other constructors of one type.
    if meant in DTYPES:
        return None
    if len(call.args) != 1 or site.is_always(call.args[0], "int"):
        return _call(site, "torch.empty", _texts(site, call.args) or "0")
    floats = _floats(site, call.args[0]) if isinstance(call.args[0], (ast.List, ast.Tuple, ast.ListComp)) else None
    return _call(site, "torch.tensor", floats) if floats else None


def _call(site: FunctionContext, name: str, arguments: str, imports: Sequence[str] = ()) -> Found:
    spelled, needed = site.spell(name)
    return Expression(f"{spelled}({arguments})", ATOM), (*needed, *imports)


def _is_range(args: Sequence[ast.expr]) -> bool:
    """Whether the only argument is a range of a number of elements, which cannot be negative."""
    [inner] = args if len(args) == 1 else [None]
    if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Name) or len(inner.args) != 1:
        return False
    count = inner.args[0]
    is_size = isinstance(count, ast.Call) and isinstance(count.func, ast.Attribute) and count.func.attr == "size"
    is_len = isinstance(count, ast.Call) and isinstance(count.func, ast.Name) and count.func.id == "len"
    of_shape = isinstance(count, ast.Subscript) and isinstance(count.value, ast.Attribute)
    is_known = is_size or is_len or (of_shape and count.value.attr == "shape")  # type: ignore[attr-defined]
    return inner.func.id == "range" and not inner.keywords and is_known


def _floats(site: FunctionContext, node: ast.expr) -> str | None:
    """A number or a list as text in which all numbers are floats; None if some of them may be no numbers."""
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [_floats(site, part) for part in node.elts]
        return f"[{', '.join(map(str, parts))}]" if parts and None not in parts else None
    text = _text(site, node)
    if site.is_always(node, "int"):
        return f"{text}.0" if text.removeprefix("-").isdecimal() else f"float({text})"
    return text if site.is_always(node, "float", "list[float]") else None


# Methods.


def _method(site: FunctionContext, call: ast.Call) -> Found | None:
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("new", "new_tensor"):
        return None
    if not site.is_always(func.value, *TENSORS):
        return None
    if func.attr == "new":
        return _new(site, call, func.value)
    return _new_tensor(site, call, func.value)


def _new(site: FunctionContext, call: ast.Call, base: ast.expr) -> Found | None:
    """`x.new(2, 3)` as `x.new_empty(2, 3)`, `x.new([1])` as `torch.tensor([1], dtype=x.dtype, device=x.device)`."""
    if call.keywords:
        return None
    if len(call.args) == 1:
        [only] = call.args
        if isinstance(only, (ast.List, ast.Tuple, ast.ListComp)):
            return _new_tensor(site, call, base)
        if not site.is_always(only, "int") and not site.is_always(only, "torch.Size"):
            return None
    return Expression(f"{_atom(site, base)}.new_empty({_texts(site, call.args) or '0'})", ATOM), ()


def _new_tensor(site: FunctionContext, call: ast.Call, base: ast.expr) -> Found | None:
    named = {keyword.arg: _text(site, keyword.value) for keyword in call.keywords}
    is_known = len(call.args) == 1 and set(named) <= {"dtype", "device"} and not site.is_always(call.args[0], *TENSORS)
    if not is_known or not _can_repeat(base):
        return None
    of = _atom(site, base)
    named = {"dtype": f"{of}.dtype", "device": f"{of}.device", **named}
    options = ", ".join(f"{name}={value}" for name, value in named.items())
    return _call(site, "torch.tensor", f"{_text(site, call.args[0])}, {options}")


def _can_repeat(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return is_plain(node.value) and is_plain(node.slice)
    return is_plain(node)


def _text(site: FunctionContext, node: ast.expr) -> str:
    return spell(site, node).at_least(CHOICE)


def _texts(site: FunctionContext, nodes: Sequence[ast.expr]) -> str:
    return ", ".join(site.source(n) if isinstance(n, ast.Starred) else _text(site, n) for n in nodes)


def _atom(site: FunctionContext, node: ast.expr) -> str:
    return spell(site, node).at_least(ATOM)


RULE = MendRule(
    "legacy_tensors",
    MendKind.EXACT,
    quoted(NO_INSTANCE, LACKS_MEMBER, NO_OPERATOR, FUNCTION_VALUE),
    find,
)
