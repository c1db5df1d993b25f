"""A list that is returned as a tuple is returned item by item; its length, which never varied, is asserted.

Message: `cannot statically infer the expected size of a list in this context`.
Kind: frozen.
Needs: `return tuple(xs)` or `return (*xs,)`, of a name, a comprehension or a generator, in a function that always
    returned a tuple of one length, a small one.
Before:
    return tuple(features)
After:
    assert len(features) == 3
    return features[0], features[1], features[2]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import STARRED
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.source.syntax import assignments, is_name
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR

MOST = 8
INDEXED = frozenset(("list", "tuple", TENSOR.name))


def find(site: FunctionContext) -> Iterator[Mend]:
    lengths = {len(t.args) if t.name == "tuple" else 0 for t in site.observed("return")}
    length = lengths.pop() if len(lengths) == 1 else 0
    for node in ast.walk(site.node):
        inner = _list(site, node.value) if isinstance(node, ast.Return) and 0 < length <= MOST else None
        if inner is None or not isinstance(node, ast.Return) or not site.begins_line(node):
            continue
        text, lines = site.source(inner), list[str]()
        name = text
        if not isinstance(inner, ast.Name):
            name = site.free_name("items", names_inside(site.node))
            lines.append(f"{name} = [{text[1:-1]}]")
        items = ", ".join(f"{name}[{index}]" for index in range(length)) + "," * (length == 1)
        lines += [f"assert len({name}) == {length}", f"return {items}"]
        summary = f"`{' '.join(site.source(node).split())}` is written for {length} items"
        yield site.mend(RULE.name, MendKind.FROZEN, node, summary, [site.replace(node, "\n".join(lines))])


def _list(site: FunctionContext, value: ast.expr | None) -> ast.Name | ast.ListComp | ast.GeneratorExp | None:
    """The list that becomes a tuple: xs of `tuple(xs)`, `(*xs,)`."""
    inner: ast.expr | None = None
    if isinstance(value, ast.Call) and is_name(value.func, "tuple") and "tuple" not in site.local_names:
        inner = value.args[0] if len(value.args) == 1 and not value.keywords else None
    elif isinstance(value, ast.Tuple) and len(value.elts) == 1 and isinstance(value.elts[0], ast.Starred):
        inner = value.elts[0].value
    if not isinstance(inner, ast.Name):
        return inner if isinstance(inner, (ast.ListComp, ast.GeneratorExp)) else None
    # The name only held, or is only bound to, lists, tuples or tensors.
    values = [node.value for node in assignments(site.node, inner.id)]
    is_list = bool(values) and all(isinstance(value, (ast.List, ast.ListComp)) for value in values)
    types = {type_.name for type_ in site.observed(inner.id)}
    return inner if (types <= INDEXED if types else is_list) else None


RULE = MendRule("returned_tuples", MendKind.FROZEN, said(STARRED), find)
