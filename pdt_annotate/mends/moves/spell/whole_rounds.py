"""`round(x)`, a whole number in Python and a float to the compiler, is made an `int`.

Message: `Expected a value of type 'int'` or `'List[int]'` … `but instead found type 'float'`.
Kind: exact.
Needs: the rounded value is a number, by the source, or was an int in every call.
Before:
    factor = max(1, round(size / 256))
After:
    factor = max(1, int(round(size / 256)))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, mismatched
from pdt_annotate.source.expressions import NUMBERS, type_of_expression
from pdt_annotate.values.mends import Mend, MendKind

WANTED = ("int", "List[int]", "Optional[int]", "Optional[List[int]]")


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node) if "round" not in site.local_names else ():
        if not is_call(node, "round") or len(node.args) != 1 or node.keywords or is_call(site.parents[node], "int"):
            continue
        if site.is_always(node, "int") or type_of_expression(node.args[0], site) in NUMBERS:
            new = f"int({site.source(node)})"
            yield site.mend(RULE.name, MendKind.EXACT, node, f"write `{new}`", [site.replace(node, new)])


RULE = MendRule("whole_rounds", MendKind.EXACT, mismatched("float", WANTED), find)
