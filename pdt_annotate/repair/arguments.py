"""`helper(Tensor x, Tensor k): Expected a value of type 'T' for argument 'k' but instead found type 'U'`.

Either the callee's parameter takes `U` as well, or the name that the caller passes is to be of type `T`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pdt_annotate.ir import Owner, TypeExpr
from pdt_annotate.repair.names import argument_of_call, called_names, names_in_statement, propose_for_name
from pdt_annotate.repair.situation import Proposal, Situation, parameter_slot, plain
from pdt_annotate.script_types import parse_type
from pdt_annotate.survey import Function

HEADER = re.compile(r"^\s*(?P<name>[\w.<>]+)\((?P<parameters>.*)\) -> .*:\s*$", re.MULTILINE)
RECEIVER = re.compile(r"^(?P<class>__torch__\.[\w.]+) (?:self|\w+)(?:,|$)")
MISMATCH = re.compile(
    r"Expected a value of type '(?P<wanted>.+?)' for argument '(?P<argument>\w+)'"
    r" but instead found type '(?P<found>.+?)'"
)
OPERATOR = "aten::"


def propose(situation: Situation) -> Iterator[Proposal]:
    """Widen the callee, then retype what the caller passes."""
    message = situation.failure.message
    header, mismatch = HEADER.search(message), MISMATCH.search(message)
    if header is None or mismatch is None or OPERATOR in message:
        return
    wanted, found = parse_type(mismatch["wanted"]), parse_type(mismatch["found"])
    argument = mismatch["argument"]
    for callee in find_callees(situation, header):
        if found is not None:
            yield from _widen(situation, callee, argument, wanted, found, "(inferred)" in mismatch["wanted"])
        if wanted is not None and "(inferred)" not in mismatch["wanted"]:
            yield from _retype_argument(situation, callee, argument, wanted)


def find_callees(situation: Situation, header: re.Match[str]) -> Iterator[Function]:
    """The functions that a signature in a message may be of."""
    receiver = RECEIVER.match(header["parameters"])
    found: dict[Owner, Function] = {}
    if receiver:
        found.update((f.owner, f) for f in situation.methods_named(receiver["class"], header["name"]))
    else:
        found.update((f.owner, f) for f in situation.functions_named(header["name"]))
    # A method that is ignored appears under a name of the compiler's, and is never read: go by the call.
    statement = situation.statement()
    for name in called_names(statement) if statement else ():
        found.update((f.owner, f) for f in situation.uncompiled_named(name))
    yield from found.values()


def _widen(
    situation: Situation, callee: Function, argument: str, wanted: TypeExpr | None, found: TypeExpr, inferred: bool
) -> Iterator[Proposal]:
    parameter = callee.parameter(argument)
    if parameter is None or not situation.is_free(callee, parameter):
        return
    slot = parameter_slot(callee, argument)
    types = [plain(found)]
    if parameter.default is not None and parameter.default.name not in ("list", "dict"):
        types.append(parameter.default)
    if not inferred and wanted is not None:
        types.append(plain(wanted))
    yield from situation.propose(slot, types)
    if inferred:
        yield from situation.propose(slot, [*types, TypeExpr("torch.Tensor")])


def _retype_argument(situation: Situation, callee: Function, argument: str, wanted: TypeExpr) -> Iterator[Proposal]:
    """The caller passes a name whose type is still open: give it the type that the callee wants."""
    statement = situation.statement()
    passed = argument_of_call(statement, callee, argument) if statement else None
    names = [passed.id] if isinstance(passed, ast.Name) else names_in_statement(statement) if statement else []
    for name in names:
        yield from propose_for_name(situation, name, [plain(wanted)])
