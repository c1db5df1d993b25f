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

from pdt_annotate.findings.messages.said import MISMATCH
from pdt_annotate.search.mend.construction import is_call
from pdt_annotate.search.mend.site import MendRule, MendSite
from pdt_annotate.source.expressions import INT, NUMBERS, type_of_expression
from pdt_annotate.source.syntax import plain_assignments
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

WANTED = ("int", "List[int]", "Optional[int]", "Optional[List[int]]")
NUMERIC = (ast.BinOp, ast.UnaryOp, ast.IfExp)


def is_asked_for(failure: Failure) -> bool:
    said = MISMATCH.read_all(failure.text or failure.message)
    return any(facts["wanted"] in WANTED and facts["found"] == "float" for facts in said)


def find(site: MendSite) -> Iterator[Mend]:
    for name, assigned in plain_assignments(site.node):
        calls = [node for node in ast.walk(assigned.value) if is_call(node, "round")]
        rounds = [call for call in calls if len(call.args) == 1 and not call.keywords]
        for node in rounds if "round" not in site.local_names else ():
            is_whole = set(site.observed(name)) == {INT} or type_of_expression(node.args[0], site) in NUMBERS
            inner = (outer for outer in site.around(node) if not _passes_on(outer))
            if is_whole and isinstance(next(inner), ast.Assign):
                new = f"int({site.source(node)})"
                yield site.mend(RULE.name, MendKind.EXACT, node, f"write `{new}`", [site.replace(node, new)])


def _passes_on(node: ast.AST) -> bool:
    """Whether a number that enters a node is only used in the number that the node returns."""
    return is_call(node, "max") or is_call(node, "min") or isinstance(node, NUMERIC)


RULE = MendRule("whole_rounds", MendKind.EXACT, is_asked_for, find)
