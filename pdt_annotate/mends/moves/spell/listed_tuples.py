"""A tuple that is made of a comprehension becomes a list where code only reads its items.

Message: `cannot statically infer the expected size of a list in this context`.
Kind: exact.
Needs: `tuple` of a comprehension, a generator or a list; it is put into a function of torch that takes lists, goes over
    it, or takes its length or one item; or it is bound to a name once, and all uses of the name are such.
Before:
    maps = tuple(conv(x) for conv in self.convs)
    return torch.cat(maps, dim=1)
After:
    maps = [conv(x) for conv in self.convs]
    return torch.cat(maps, dim=1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import STARRED
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.values.mends import Mend, MendKind

GO_OVER = ("all", "any", "enumerate", "len", "list", "max", "min", "sum", "zip")
LIST_FUNCTIONS = frozenset(f"torch.{name}" for name in ("cat", "concat", "hstack", "stack", "vstack", "dstack"))


def find(site: FunctionContext) -> Iterator[Mend]:
    for call in ast.walk(site.node):
        if not is_call(call, "tuple") or "tuple" in site.local_names or len(call.args) != 1 or call.keywords:
            continue
        [inner] = call.args
        is_list = isinstance(inner, ast.ListComp) or {v.type for v in site.values(inner)} == {"builtins.list"}
        if (isinstance(inner, ast.GeneratorExp) or is_list) and _reads_items(site, call):
            text = site.source(inner)
            edits, summary = [site.replace(call, text if is_list else f"[{text[1:-1]}]")], f"`tuple({text})` is a list"
            yield site.mend(RULE.name, MendKind.EXACT, call, " ".join(summary.split()), edits)


def _reads_items(site: FunctionContext, node: ast.expr) -> bool:
    parent = site.parents[node]
    if isinstance(parent, ast.Call):
        is_builtin = isinstance(parent.func, ast.Name) and parent.func.id in GO_OVER
        return node in parent.args and (is_builtin or site.meaning(parent.func) in LIST_FUNCTIONS)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is node
    if isinstance(parent, ast.Subscript):
        return parent.value is node and isinstance(parent.ctx, ast.Load) and not isinstance(parent.slice, ast.Slice)
    if not isinstance(parent, ast.Assign) or len(parent.targets) > 1 or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    return len(stores(site.node, name)) == 1 and all(_reads_items(site, use) for use in loads(site.node, name))


RULE = MendRule("listed_tuples", MendKind.EXACT, said(STARRED), find)
