"""`Arguments for call are not valid. The following variants are available: …`: no variant takes what was passed.

Each variant says what it wants for which argument; what is passed there is given that type.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.types import NONE

VARIANT = re.compile(
    r"^\s*(?:aten::)?(?P<name>\w+)(?:\.\w+)?\((?P<parameters>.*)\) -> .*:\n\s*"
    r"Expected a value of type '(?P<wanted>[^']+)' for argument '(?P<argument>\w+)'",
    re.MULTILINE,
)


def propose(situation: Situation) -> Iterator[Proposal]:
    """Give what is passed the type that a variant wants, variant by variant."""
    statement = situation.statement()
    if statement is None:
        return
    for match in VARIANT.finditer(situation.failure.message):
        wanted = parse_type(match["wanted"])
        if wanted is None or wanted == NONE or "(inferred)" in match["wanted"]:
            continue
        for passed in _passed(statement, match):
            yield from propose_expected(situation, passed, wanted)


def _passed(statement: ast.stmt, match: re.Match[str]) -> Iterator[ast.expr]:
    """What the statement's calls of this name pass for the argument, by keyword or by position."""
    order = [p.split("=")[0].strip().rpartition(" ")[2] for p in _split(match["parameters"])]
    order = [name for name in order if name not in ("self", "*")] if "self" in order else order
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or called_name(node) != match["name"]:
            continue
        yield from (keyword.value for keyword in node.keywords if keyword.arg == match["argument"])
        index = order.index(match["argument"]) if match["argument"] in order else len(order)
        if index < len(node.args) and not isinstance(node.args[index], ast.Starred):
            yield node.args[index]


def _split(parameters: str) -> list[str]:
    """The parameters of a signature; commas inside brackets do not part them."""
    parts, depth = [""], 0
    for char in parameters:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts
