"""`Arguments for call are not valid. The following variants are available: …`: no variant takes the arguments.

Each variant names an argument and the type that it wants; the passed value gets that type.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import VARIANT, Facts
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.types import NONE


def propose(situation: Situation) -> Iterator[Proposal]:
    """Give the passed value the type that a variant wants, one variant after the other."""
    for variant in VARIANT.read_all(situation.message):
        wanted = variant.type("wanted")
        if wanted is None or wanted == NONE or variant.is_inferred("wanted"):
            continue
        for passed in _passed(situation.statement, variant):
            yield from propose_expected(situation, passed, wanted)


def _passed(statement: ast.stmt, variant: Facts) -> Iterator[ast.expr]:
    """The values that the statement's calls of this name pass for the argument, by keyword or by position."""
    order, argument = variant.parameters, variant["argument"]
    order = [name for name in order if name not in ("self", "*")] if "self" in order else order
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or called_name(node) != variant["name"]:
            continue
        yield from (keyword.value for keyword in node.keywords if keyword.arg == argument)
        index = order.index(argument) if argument in order else len(order)
        if index < len(node.args) and not isinstance(node.args[index], ast.Starred):
            yield node.args[index]
