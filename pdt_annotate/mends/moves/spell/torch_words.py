"""A word of torch that the compiler does not know is replaced by the one that it knows.

Message: `has no attribute or method`, `Keyword argument` … `unknown`, `Unknown builtin op`.
Kind: exact.
Needs: a function of torch, or a method of what was a tensor in every call.
Before:
    keep = mask.bool() & torch.is_tensor(x)
    x = torch.cat([x, torch.ones(2, requires_grad=False)], axis=0)
    return x.mean(1, keepdims=True), torch.nonzero(keep, as_tuple=True)
After:
    keep = mask.to(torch.bool) & isinstance(x, torch.Tensor)
    x = torch.cat([x, torch.ones(2)], dim=0)
    return x.mean(1, keepdim=True), torch.where(keep)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import LACKS_MEMBER, NO_OPERATOR, UNKNOWN_KEYWORD
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.edit_arguments import arguments, exchange
from pdt_annotate.mends.kit.spelled import spell
from pdt_annotate.source.syntax import last_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR

METHODS: Mapping[str, tuple[str, str]] = {
    "bool": ("to", "torch.bool"),
    "ndimension": ("dim", ""),
    "nelement": ("numel", ""),
}
"""The methods of a tensor without arguments, each with another of its methods and the argument of that."""
KEYWORDS: Mapping[str, str] = {"axis": "dim", "keepdims": "keepdim"}
MADE = frozenset(
    f"torch.{name}{like}"
    for name in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
    for like in ("", "_like")
) | {f"torch.{name}" for name in ("arange", "eye", "linspace", "logspace", "randperm")}
"""The functions that make a tensor, and take `requires_grad` in Python alone."""

Change = tuple[list[Edit] | None, tuple[str, ...]]  # the edits, and the imports that they need
NO_CHANGE: Change = None, ()


def find(site: FunctionContext) -> Iterator[Mend]:
    for call in ast.walk(site.node):
        if not isinstance(call, ast.Call):
            continue
        for edits, imports in (_method(site, call), _function(site, call), _keywords(site, call), _switch(site, call)):
            if edits:
                summary = f"`{' '.join(site.source(call).split())}` in words that the compiler knows"
                yield site.mend(RULE.name, MendKind.EXACT, call, summary, edits, imports=imports)


def _method(site: FunctionContext, call: ast.Call) -> Change:
    """`x.bool()` as `x.to(torch.bool)`."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in METHODS or call.args or call.keywords:
        return NO_CHANGE
    if not site.is_always(func.value, *TENSORS):
        return NO_CHANGE
    name, argument = METHODS[func.attr]
    text, imports = site.spell(argument) if argument else ("", ())
    start, end = site.span(func)[1] - len(func.attr), site.span(call)[1]
    return [Edit(start, f"{name}({text})", removed=end - start)], imports


def _function(site: FunctionContext, call: ast.Call) -> Change:
    """`torch.is_tensor(x)` and `isinstance(x, Variable)` as `isinstance(x, torch.Tensor)`."""
    if "isinstance" in site.local_names or call.keywords:
        return NO_CHANGE
    tensor, imports = site.spell(TENSOR.name)
    if site.meaning(call.func) == "torch.is_tensor" and len(call.args) == 1:
        return [site.replace(call, f"isinstance({site.source(call.args[0])}, {tensor})")], imports
    if last_name(call.func) == "isinstance" and len(call.args) == 2 and site.meaning(call.args[1]) in VARIABLE:
        return [site.replace(call.args[1], tensor)], imports
    return NO_CHANGE


VARIABLE = ("torch.autograd.Variable", "torch.autograd.variable.Variable")


def _keywords(site: FunctionContext, call: ast.Call) -> Change:
    """`axis=1` as `dim=1`, `keepdims=True` as `keepdim=True`."""
    named = [keyword for keyword in call.keywords if keyword.arg in KEYWORDS]
    known = {keyword.arg for keyword in call.keywords}
    if not named or "keepdim" in known or {"dim", "axis"} <= known:
        return NO_CHANGE
    # The functions of `torch.nn` and the like are written in Python, and have parameters of other names.
    is_function = site.meaning(call.func).rpartition(".")[0] == "torch"
    if not is_function and not (isinstance(call.func, ast.Attribute) and site.is_always(call.func.value, *TENSORS)):
        return NO_CHANGE
    edits = []
    for keyword in named:
        start = site.span(keyword)[0]
        assert keyword.arg is not None
        edits.append(Edit(start, KEYWORDS[keyword.arg], removed=len(keyword.arg)))
    return edits, ()


def _switch(site: FunctionContext, call: ast.Call) -> Change:
    """A call without `requires_grad` or `as_tuple`, which only Python knows."""
    items = arguments(call)
    for keyword in call.keywords:
        if not isinstance(keyword.value, ast.Constant) or not isinstance(keyword.value.value, bool):
            continue
        edits = exchange(site, items, {keyword: ""}, {})
        if keyword.arg == "requires_grad" and site.meaning(call.func) in MADE and edits is not None:
            wanted = Edit(site.span(call)[1], ".requires_grad_()")
            return [*edits, *([wanted] if keyword.value.value else [])], ()
        if keyword.arg != "as_tuple" or last_name(call.func) != "nonzero" or len(items) > 2:
            continue
        of_torch = site.meaning(call.func) == "torch.nonzero" and len(call.args) == 1
        given = call.args[0] if of_torch else call.func.value if isinstance(call.func, ast.Attribute) else None
        if given is None or not (of_torch or len(items) == 1) or isinstance(given, ast.Starred):
            continue
        if not keyword.value.value:
            return edits, ()
        where, imports = site.spell("torch.where")
        return [site.replace(call, f"{where}({spell(site, given).text})")], imports
    return NO_CHANGE


RULE = MendRule("torch_words", MendKind.EXACT, quoted(LACKS_MEMBER, UNKNOWN_KEYWORD, NO_OPERATOR), find)
