"""A variable of a comprehension gets a name that the function uses for nothing else.

In Python, the variable exists in the comprehension alone. To the compiler, it is the local with the same name.

Message: `Variable … previously had type`, `Cannot re-assign … to a value of type module`,
    `object has no attribute or method`, `Expected a value of type` … `but instead found type`.
Kind: Exact.
Needs:
    - The function also assigns the name, or it is a parameter.
    - The message is about the name. In the comprehension, no f-string, lambda or other comprehension uses it.
Before:
    for layer in self.layers:
        x = layer(x)
    ys = [layer(x) for layer in self.layers]
After:
    for layer in self.layers:
        x = layer(x)
    ys = [layer_1(x) for layer_1 in self.layers]
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import LACKS_MEMBER, MISMATCH, NOT_FIRST_CLASS, REASSIGNED
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, in_order
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.source.scopes import names_in, names_inside
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    locals_ = {parameter.name for parameter in site.function.parameters}
    locals_ |= {name.id for name in in_order(site.node) if isinstance(name.ctx, ast.Store)}
    for node in ast.walk(site.node):
        if isinstance(node, COMPREHENSIONS) and site.is_failing(node):
            bound = {name for head in node.generators for name in names_inside(head.target)}
            for name in sorted(locals_ & bound):
                outside = loads(node.generators[0].iter, name)
                uses = [each for each in (*loads(node, name), *stores(node, name)) if each not in outside]
                inner = (*COMPREHENSIONS, ast.Lambda, ast.JoinedStr)
                parts = [n for n in ast.walk(node) if n is not node and isinstance(n, inner)]
                if _is_meant(site, node, name) and not any(name in names_in(part) for part in parts):
                    new = site.local_name(name)
                    edits = [site.replace(each, new) for each in uses]
                    yield site.mend(node, f"rename `{name}` to `{new}` in `{ast.unparse(node)}`", edits)


def _is_meant(site: FunctionContext, node: ast.expr, name: str) -> bool:
    """Whether the message is about a name of the comprehension."""
    member = site.fact(LACKS_MEMBER)
    members = (n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == member)
    named, asks_for_type = site.fact(REASSIGNED) or site.fact(NOT_FIRST_CLASS), site.fact(MISMATCH, "wanted")
    passed = (each for n in ast.walk(node) if asks_for_type and isinstance(n, ast.Call) for each in n.args)
    return named == name or any(is_name(n, name) for n in (*(n.value for n in members), *passed))


RULE = MendRule(
    "comprehension_names", MendKind.EXACT, said(REASSIGNED, NOT_FIRST_CLASS, LACKS_MEMBER, MISMATCH), find, sweeps=False
)
