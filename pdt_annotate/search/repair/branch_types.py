"""`Type mismatch: x is set to type T in the true branch and type U in the false branch`: x holds both types, or
one branch must take the other's type. Also for `if-expression's true branch has type T but false branch has type U`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCHES_GIVE, BRANCHES_SET
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.returns import propose_told
from pdt_annotate.search.repair.situation import Proposal, Situation, plain
from pdt_annotate.source.syntax import is_name


def propose(situation: Situation) -> Iterator[Proposal]:
    """Let the branch whose type the compiler inferred follow the other; otherwise let the name hold both types."""
    statement, of_name = situation.statement, BRANCHES_SET.read(situation.message)
    facts = of_name or BRANCHES_GIVE.read(situation.message)
    true, false = (facts.type("true"), facts.type("false")) if facts else (None, None)
    if facts is None or true is None or false is None:
        return
    if of_name is None:
        # A returned value must have the type of the other returns.
        yield from propose_told(situation)
        for node in ast.walk(statement):
            if isinstance(node, ast.IfExp):
                yield from propose_expected(situation, node.body, false)
                yield from propose_expected(situation, node.orelse, true)
        if (slot := situation.slot_of_value()) is not None:
            yield from situation.propose(slot, [true, false])
    elif isinstance(statement, ast.If):
        branches = [(statement.body, false, "true"), (statement.orelse, true, "false")]
        for body, wanted, _ in sorted(branches, key=lambda branch: not facts.is_inferred(branch[2])):
            assigned = (node for each in body for node in ast.walk(each) if isinstance(node, ast.Assign))
            for node in assigned:
                if any(is_name(target, facts["name"]) for target in node.targets):
                    yield from propose_expected(situation, node.value, wanted)
        yield from situation.propose_for_name(facts["name"], [plain(true), plain(false)])
