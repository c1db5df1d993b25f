"""The first parameter or buffer of a module, which code asks for its device or dtype, is called by its name.

Message: `Python builtin <built-in function next>`, `Yield aren't supported`.
Kind: frozen.
Needs: the module itself or an attribute of it; the same name in all modules of the class.
Before:
    def forward(self, x):
        return self.body(x.to(next(self.parameters()).device))
After:
    def forward(self, x):
        return self.body(x.to(self.body[1].weight.device))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_ITERATOR
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in (node for node in ast.walk(site.node) if isinstance(node, ast.expr)):
        all_ = _whole(node)
        if not isinstance(all_, ast.Call) or not isinstance(all_.func, ast.Attribute) or all_.args or all_.keywords:
            continue
        module, kind = all_.func.value, f"{all_.func.attr}()"
        attribute = site.self_attribute(module)
        is_own = is_name(module, site.function.receiver) and bool(site.function.receiver)
        held = site.held(kind if is_own else f"{attribute}.{kind}")
        if (is_own or attribute) and len(held.values) == 1 and not (held.lacking or held.changes):
            parts = held.values[0].name.split(".")
            new = site.source(module) + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts)
            summary = f"`{site.source(node)}` is `{new}`"
            yield site.mend(RULE.name, MendKind.FROZEN, node, summary, [site.replace(node, new)])


def _whole(node: ast.expr) -> ast.expr | None:
    """The xs of `next(xs)`, `next(iter(xs))` and `list(xs)[0]`."""
    if is_call(node, "next") and len(node.args) == 1:
        return node.args[0].args[0] if is_call(node.args[0], "iter") and node.args[0].args else node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 0:
        return node.value.args[0] if is_call(node.value, "list") and node.value.args else None
    return None


RULE = MendRule("first_parameters", MendKind.FROZEN, quoted(NO_ITERATOR), find)
