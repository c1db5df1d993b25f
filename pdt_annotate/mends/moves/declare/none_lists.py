"""A list such as `[None] * n` gets the type of the elements that code puts into it later.

Message: `List[NoneType]`; `Expected a value of type 't' for argument 'el'`.
Kind: Exact if the elements may be None. Scripted if code fills the list with tensors before it reads the elements: the
    scripted model then starts with empty tensors.
Needs: The other elements that examples showed are of one type: a Tensor, a number, a str, or a list or tuple of these.
Before:
    taps = [None] * len(self.layers)
    for i, layer in enumerate(self.layers):
        x = layer(x)
        taps[i] = x
    return torch.cat(taps)
After:
    if torch.jit.is_scripting():
        taps = [torch.empty(0)] * len(self.layers)
    else:
        taps = [None] * len(self.layers)
    for i, layer in enumerate(self.layers):
        x = layer(x)
        taps[i] = x
    return torch.cat(taps)
"""

import ast
from collections.abc import Iterator
from typing import TypeGuard

from pdt_annotate.findings.messages.said import NONE_LIST
from pdt_annotate.mends.kit.blocks import if_scripted, statements
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import Expression, is_none, spell
from pdt_annotate.source.expressions import NUMBERS, STR
from pdt_annotate.source.syntax import is_name, nodes_in
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE, TENSOR

KNOWN = {"list": "typing.List", "tuple": "typing.Tuple", **{each.name: each.name for each in (*NUMBERS, STR, TENSOR)}}
"""The classes of elements, as the compiler reads them."""


def find(site: FunctionContext) -> Iterator[Mend]:
    for statement in statements(site.node.body):
        match statement:
            case ast.Assign([ast.Name(name)], value):
                for part in ast.walk(value):
                    if _holds_none(part) and not isinstance(site.parents[part], ast.Call):
                        yield from _typed(site, name, statement, part)


def _holds_none(node: ast.AST) -> TypeGuard[ast.expr]:
    elements = node.elts if isinstance(node, ast.List) else [node.elt] if isinstance(node, ast.ListComp) else []
    return bool(elements) and all(map(is_none, elements))


def _typed(site: FunctionContext, name: str, assign: ast.Assign, display: ast.expr) -> Iterator[Mend]:
    lists = [each for each in site.observed(name) if each.name == "list"]
    types = {arg for each in lists for inner in each.args for arg in (inner.args if inner.name == "Union" else [inner])}
    items = [node for node in nodes_in(site.node, ast.Subscript) if is_name(node.value, name)]
    read = {value.type for node in items if isinstance(node.ctx, ast.Load) for value in site.values(node)}
    is_filled = any(isinstance(node.ctx, ast.Store) for node in items) and NOTHING not in read
    summary = f"give the list of None in `{name}` a type"
    if is_filled and types == {TENSOR} and not site.function.parameter(name):
        empty = Expression(f"[{site.spell('torch.empty')}(0)]")
        filled = spell(site, assign.value, lambda part: empty if part is display else None).text
        text = if_scripted(site, f"{name} = {filled}", site.source(assign))
        left_out = f"the error if code leaves an element of `{name}` None"
        yield site.mend(assign, summary, [site.replace(assign, text)], left_out=left_out)
    elif len(types - {NONE}) < 2 and KNOWN.keys() >= (element := next(iter(types - {NONE}), TENSOR)).names.keys():
        optional = site.spell(f"typing.List[typing.Optional[{element.spell(KNOWN.get)}]]")
        new = f"{site.spell('torch.jit.annotate')}({optional}, {site.source(display)})"
        yield site.mend(assign, summary, [site.replace(display, new)])


RULE = MendRule("none_lists", MendKind.EXACT, quoted(NONE_LIST), find)
