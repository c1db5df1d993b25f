"""`Type mismatch: x is set to type T in the true branch and type U in the false branch`: x holds both, or what one
branch gives is to have the other's type. `if-expression's true branch has type T but false branch has type U` as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.names import propose_for_name, slot_of_value
from pdt_annotate.search.repair.situation import Proposal, Situation, plain
from pdt_annotate.values.types import TypeExpr

MESSAGE = re.compile(
    r"Type mismatch: (?P<name>\w+) is set to type (?P<true>.+?) in the true branch and type (?P<false>.+?)"
    r" in the false branch"
)
EXPRESSION = re.compile(r"if-expression's true branch has type (?P<true>.+?) but false branch has type (?P<false>.+)")
INFERRED = "(inferred)"


def propose(situation: Situation) -> Iterator[Proposal]:
    """Let the branch of which the compiler had to infer the type follow the other; else let the name hold both."""
    message, statement = situation.failure.message, situation.statement()
    match = MESSAGE.search(message) or EXPRESSION.search(message)
    true, false = (parse_type(match["true"]), parse_type(match["false"])) if match else (None, None)
    if match is None or statement is None or true is None or false is None:
        return
    for node in ast.walk(statement):
        if match.re is EXPRESSION and isinstance(node, ast.IfExp):
            yield from propose_expected(situation, node.body, false)
            yield from propose_expected(situation, node.orelse, true)
    if match.re is EXPRESSION and (slot := slot_of_value(situation, statement)) is not None:
        yield from situation.propose(slot, [true, false])
    if match.re is MESSAGE and isinstance(statement, ast.If):
        branches = [(statement.body, false, match["true"]), (statement.orelse, true, match["false"])]
        for body, wanted, _ in sorted(branches, key=lambda branch: INFERRED not in branch[2]):
            yield from _retype(situation, body, match["name"], wanted)
        yield from propose_for_name(situation, match["name"], [plain(true), plain(false)])


def _retype(situation: Situation, body: list[ast.stmt], name: str, wanted: TypeExpr) -> Iterator[Proposal]:
    """Give what a branch assigns to the name the wanted type."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                yield from propose_expected(situation, node.value, wanted)
