"""Push an expected type down an expression: find the types of its open slots with which the whole has that type.

`size = [fixed[1], fixed[0]]` of type List[int] makes `fixed` a List[int]; `scale = cast(v)` of type float makes the
return of `cast` a float, if the compiler does not read `cast` because it is ignored.
"""

import ast
from collections.abc import Iterator
from itertools import islice

from pdt_annotate.choose.consolidate import tells_nothing
from pdt_annotate.search.repair.situation import Proposal, Situation, plain
from pdt_annotate.source.definitions import Function, literal_type
from pdt_annotate.source.syntax import assignments, called_name
from pdt_annotate.source.uses import is_open
from pdt_annotate.values.slots import Annotation
from pdt_annotate.values.types import NONE, TypeExpr, union

DEPTH = 4
COPIES = ("list", "sorted")


def propose_expected(situation: Situation, expression: ast.expr, wanted: TypeExpr) -> Iterator[Proposal]:
    """One proposal for all open slots of the expression: the types with which it has the expected one."""
    function = situation.function
    if function is None or not without_none(wanted):
        return
    try:
        changes = {a.slot: a for a in _expect(situation, function, expression, wanted, DEPTH)}
    except Contradiction:
        return
    if new := tuple(filter(situation.is_new, changes.values())):
        yield Proposal(new)


class Contradiction(Exception):
    """An expression can never have the expected type, such as a list display that of an int."""


def without_none(type_: TypeExpr) -> list[TypeExpr]:
    """The members of a type in observed form that are not None."""
    return [member for member in plain(type_).members if member != NONE]


def _expect(
    situation: Situation, function: Function, node: ast.expr, wanted: TypeExpr, depth: int
) -> Iterator[Annotation]:
    members = without_none(wanted)
    if not members or not depth:
        return
    match node:
        case ast.Name(name):
            yield from _expect_of_name(situation, function, name, members, depth)
        case ast.List(elements) | ast.Tuple(elements):
            if not any(member.name in ("list", "tuple") for member in members):
                raise Contradiction
            for at, element in enumerate(elements):
                inner = (m.args[:1] if m.name == "list" else m.args[at:] if m.name == "tuple" else () for m in members)
                for types in islice(filter(None, inner), 1):
                    yield from _expect(situation, function, element, types[0], depth - 1)
        case ast.Subscript(ast.Name() as held, ast.Constant(str())):
            kind = TypeExpr("dict", (TypeExpr("str"), wanted))
            yield from _expect(situation, function, held, kind, depth - 1)
        case ast.Subscript(ast.Name() as held, ast.Constant() | ast.UnaryOp() | ast.Name()):
            yield from _expect(situation, function, held, TypeExpr("list", (wanted,)), depth - 1)
        case ast.IfExp(_, body, orelse):
            # A branch that is None already accounts for the Optional.
            rest = union(*members) if NONE in map(literal_type, (body, orelse)) else wanted
            for branch in (body, orelse):
                yield from _expect(situation, function, branch, rest, depth - 1)
        case ast.Call(args=[copied]) if called_name(node) in COPIES:
            yield from _expect(situation, function, copied, wanted, depth - 1)
        case ast.Call():
            # Annotate the return of a function that the compiler does not read, or whose return repair annotated.
            name = called_name(node)
            repaired = (f for f in situation.functions_named(name) if situation.plan.get(f.owner.returned) is not None)
            named = [*situation.uncompiled_named(name), *repaired]
            near = [each for each in named if each.owner.file == function.owner.file]
            for callee in near or named:
                if not callee.returns and not callee.settled:
                    yield from islice(situation.annotate(callee.owner.returned, members), 1)


def _expect_of_name(
    situation: Situation, function: Function, name: str, members: list[TypeExpr], depth: int
) -> Iterator[Annotation]:
    slot = situation.slot_of_name(name)
    if slot is None:
        return
    observed = situation.observed(slot)
    known = [t for t in observed if not tells_nothing(t) and t.name != "Any"]
    if any(type_.args for type_ in known):
        members = known
    parameter = function.parameter(name)
    if parameter is not None:
        empty = [NONE] if parameter.default == NONE else []
        yield from islice(situation.annotate(slot, [*members, *observed, *empty]), 0 if known else 1)
        return
    values = [assignment.value for assignment in assignments(function.node, name)]
    if values and is_open(values[0]):
        empty = [NONE] if isinstance(values[0], ast.Constant) else []
        yield from islice(situation.annotate(slot, [*members, *empty]), 1)
    for value in values:
        for member in members:
            yield from _expect(situation, function, value, member, depth - 1)
