"""`round(x)`, a whole number in Python and a float to the compiler, is made an `int`.

Message: `Expected a value of type 'int'` or `'List[int]'` … `but instead found type 'float'`.
Kind: exact.
Needs: the rounded value is a number, by the source, or goes into a local that was an int in every call.
Before:
    factor = max(1, round(size / 256))
After:
    factor = max(1, int(round(size / 256)))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.search.mend.construction import is_call
from pdt_annotate.search.mend.site import FunctionContext, MendRule, mismatched
from pdt_annotate.source.expressions import INT, NUMBERS, type_of_expression
from pdt_annotate.source.syntax import plain_assignments
from pdt_annotate.values.mends import Mend, MendKind

WANTED = ("int", "List[int]", "Optional[int]", "Optional[List[int]]")
NUMERIC = (ast.BinOp, ast.UnaryOp, ast.IfExp)


def find(site: FunctionContext) -> Iterator[Mend]:
    for name, assigned in plain_assignments(site.node):
        calls = [node for node in ast.walk(assigned.value) if is_call(node, "round")]
        rounds = [call for call in calls if len(call.args) == 1 and not call.keywords]
        for node in rounds if "round" not in site.local_names else ():
            is_whole = set(site.observed(name)) == {INT} or type_of_expression(node.args[0], site) in NUMBERS
            # The number only enters another number that is assigned.
            around = (outer for outer in site.around(node) if not isinstance(outer, NUMERIC))
            user = next(outer for outer in around if not is_call(outer, "max") and not is_call(outer, "min"))
            if is_whole and isinstance(user, ast.Assign):
                new = f"int({site.source(node)})"
                yield site.mend(RULE.name, MendKind.EXACT, node, f"write `{new}`", [site.replace(node, new)])


RULE = MendRule("whole_rounds", MendKind.EXACT, mismatched("float", WANTED), find)
