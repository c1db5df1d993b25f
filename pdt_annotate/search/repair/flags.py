"""`if self.flag:` decides which code is compiled, if the compiler knows that the flag is constant: `flag: Final[bool]`.

Tried if the failing statement is in such a branch, or is called from one, and if returns in different branches differ.
"""

import ast
from collections.abc import Iterator
from itertools import chain

from pdt_annotate.mends.kit.construction import attribute_stores
from pdt_annotate.mends.kit.spelled import operands
from pdt_annotate.search.repair.attributes import propose_constant
from pdt_annotate.search.repair.family import bodies, observations
from pdt_annotate.search.repair.returns import is_about_returns
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.syntax import called_name, is_name
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import TypeExpr

# The compiler decides only on flags beforehand: not on a number, a comparison, or a local that holds a flag.
FLAG = TypeExpr("bool")


def propose_flags(situation: Situation) -> Iterator[Proposal]:
    """Make each flag that guards the failing statement a constant, the nearest first."""
    yield from _propose(situation, situation.function, situation.failure.place.line, is_about_returns(situation))


def propose_in_callers(situation: Situation) -> Iterator[Proposal]:
    """Make each flag that guards a call which led to the failing statement a constant, the nearest first."""
    function = situation.function
    if function is None:
        return
    places = dict.fromkeys(situation.failure.chain)
    on_the_way = ((situation.project.function_at(place.file, place.line), place.line) for place in places)
    others = ((caller, line) for caller, line in on_the_way if caller != function)
    for caller, line in chain(others, _callers(situation, function, {function.owner})):
        yield from _propose(situation, caller, line, False)


def _callers(situation: Situation, function: Function, met: set[Owner]) -> Iterator[tuple[Function, int]]:
    """The functions that were read and call a function of this name, and their callers, each with the line of its call.

    If the compiler refuses a construct, its message does not name all callers.
    """
    for owner in situation.compiled:
        caller = situation.project.function(owner) if owner not in met else None
        calls = (node for node in ast.walk(caller.node) if isinstance(node, ast.Call)) if caller is not None else ()
        lines = [call.lineno for call in calls if called_name(call) == function.node.name]
        if caller is not None and lines:
            met.add(owner)
            yield from ((caller, line) for line in lines)
            yield from _callers(situation, caller, met)


def _propose(situation: Situation, function: Function | None, line: int, about_returns: bool) -> Iterator[Proposal]:
    """The flags of one test together, since one alone may not decide it; unneeded ones are dropped in the end."""
    cls = situation.class_of(function) if function else None
    if function is None or cls is None:
        return
    # A branch that leaves the function guards the code after it as well. The innermost branch comes first.
    guards: list[ast.If | ast.IfExp] = []
    for node in (each for each in ast.walk(function.node) if isinstance(each, (ast.If, ast.IfExp))):
        leaves = isinstance(node, ast.If) and isinstance(node.body[-1], (ast.Return, ast.Raise))
        returns = about_returns and any(isinstance(inner, ast.Return) for inner in ast.walk(node))
        if node.lineno <= line <= (node.end_lineno or 0) or returns or (leaves and node.lineno < line):
            guards.append(node)
    for guard in sorted(guards, key=lambda node: -node.lineno):
        read = (each for each in operands(guard.test) if isinstance(each, ast.Attribute))
        names = dict.fromkeys(each.attr for each in read if is_name(each.value, function.receiver))
        constants: list[list[Proposal]] = []
        for name in names:
            seen = observations(situation, cls.node.name, name)
            if {o.type for o in seen} == {FLAG} and not _is_reassigned(situation, cls, name):
                holding = bodies(situation, cls.node.name, name)
                found = (propose_constant(situation, body, name, seen, "constant flag") for body in holding)
                constants.append([proposal for each in found for proposal in each])
        together = {a.slot: a for proposals in constants for each in proposals[:1] for a in each.changes}
        if together:
            yield Proposal(tuple(together.values()))
        for proposals in constants:
            yield from proposals


def _is_reassigned(situation: Situation, cls: Class, name: str) -> bool:
    methods = (f for f in situation.project.read(cls.owner.file).functions if f.in_class == cls.owner.qualname)
    read = (f for f in methods if f.node.name != "__init__" and f.owner in situation.compiled)
    return any(any(attribute_stores(function.node, name)) for function in read)
