"""A list of attributes with numbered names becomes a list display of them.

Message: `second argument must be a string literal`.
Kind: frozen: another number of attributes raises an error from then on; exact for a `range` of a constant.
Needs: a list comprehension of `getattr` of `self` over a `range`, whose names were the same in all calls.
Before:
    def forward(self, x):
        return [x * getattr(self, f"scale{i}") for i in range(self.n)]
After:
    def forward(self, x):
        assert self.n == 2
        return [x * self.scale0, x * self.scale1]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_LITERAL_NAME
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ATOM, Expression, spell
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind

MOST = 16  # attributes


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        loop = node.generators[0] if isinstance(node, ast.ListComp) and len(node.generators) == 1 else None
        bounds = loop.iter.args if loop and is_call(loop.iter, "range") and not loop.ifs else []
        if not isinstance(node, ast.ListComp) or loop is None or len(bounds) != 1:
            continue
        counts = [value.literal for value in site.values(bounds[0])]
        statement = site.statement(node)[0]
        if len(counts) != 1 or not counts[0].isdecimal() or int(counts[0]) > MOST or not site.begins_line(statement):
            continue
        items = [_item(site, node.elt, loop.target, index) for index in range(int(counts[0]))]
        if not items or None in items:
            continue
        edits = [site.replace(node, f"[{', '.join(map(str, items))}]")]
        is_fixed = isinstance(bounds[0], ast.Constant)
        if not is_fixed:
            edits.append(site.insert_before(statement, f"assert {site.source(bounds[0])} == {counts[0]}"))
        kind, summary = MendKind.EXACT if is_fixed else MendKind.FROZEN, f"list the attributes of `{site.source(node)}`"
        yield site.mend(RULE.name, kind, node, summary, edits)


def _item(site: FunctionContext, item: ast.expr, target: ast.expr, index: int) -> str | None:
    """An item of the list with attributes by their names; None if it has none, or if some module lacks one."""
    found, name = list[str](), target.id if isinstance(target, ast.Name) else ""

    def put(node: ast.expr) -> Expression | None:
        if is_name(node, name):
            return Expression(str(index), ATOM)
        is_own = is_call(node, "getattr") and len(node.args) == 2 and is_name(node.args[0], site.function.receiver)
        if not is_own or not isinstance(node, ast.Call):
            return None
        read = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
        code = compile(ast.Expression(node.args[1]), "<name>", "eval")
        found.append(str(eval(code, {"__builtins__": {"str": str}, name: index})) if read <= {name, "str"} else "")
        return Expression(f"{site.function.receiver}.{found[-1]}", ATOM)

    text = spell(site, item, put).text
    is_known = all(each.isidentifier() and site.held(each).values and not site.lacks(each) for each in found)
    return text if found and is_known else None


RULE = MendRule("named_attributes", MendKind.FROZEN, quoted(NO_LITERAL_NAME), find)
