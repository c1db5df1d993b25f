"""A module attribute that the compiler could not convert, or took too narrowly: `self.items = []`, `self.x = None`.

It ignores a constant of the class body, `K = 3`, unless the constant is marked: `K: Final[int] = 3`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.findings.messages.said import ATTRIBUTE_ASSIGNED, MISMATCH, NO_ATTRIBUTE, Facts
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.family import bodies, is_constant, observations, place
from pdt_annotate.search.repair.situation import Proposal, Situation, plain
from pdt_annotate.source.definitions import Class
from pdt_annotate.source.syntax import assignments, is_name
from pdt_annotate.values.slots import ClassKind, Legal, Observation, Origin, Slot, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr

CONSTANTS = ("int", "float", "bool", "complex", "str", "None", "torch.device", "torch.dtype")
"""The types of a constant, or of its items in a tuple or list: torch/jit/_recursive.py, `_constant_types`."""

INFERRED = (*CONSTANTS, "torch.Tensor", "list", "dict", "tuple")
"""The compiler itself finds the type of values that are made of these alone, each place of one type."""


def propose(situation: Situation) -> Iterator[Proposal]:
    """Let the assigned value fit; otherwise annotate the attribute, in the class that sets it or that has it."""
    narrow, statement = ATTRIBUTE_ASSIGNED.read(situation.message), situation.statement
    wanted = narrow.type("wanted") if narrow else None
    if wanted is not None and isinstance(statement, ast.Assign):
        yield from propose_expected(situation, statement.value, wanted)
    if (missing := NO_ATTRIBUTE.read(situation.message)) is not None:
        class_name, name = missing["class"], missing["name"]
        seen = observations(situation, class_name, name)
        if is_constant(situation, class_name, name):
            for cls in bodies(situation, class_name, name):
                yield from propose_constant(situation, cls, name, seen)
        else:
            yield from propose_attribute(situation, class_name, name, seen)
    if narrow:
        yield from _propose_wider(situation, narrow)
    else:
        yield from _propose_mentioned(situation)


def _propose_wider(situation: Situation, narrow: Facts) -> Iterator[Proposal]:
    """Let the attribute hold all types that it was seen to hold, then also the type that the failing line assigns."""
    function, statement = situation.function, situation.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    objects = [t for t in targets if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name)]
    if function is None or not function.in_class or not objects or not is_name(objects[0].value, function.receiver):
        return
    name = objects[0].attr
    class_name = function.in_class.rpartition(".")[2]
    seen = observations(situation, class_name, name)
    said = [plain(type_) for type_ in narrow.types("wanted", "found")]
    if {o.type for o in seen} == {NONE}:  # only the assigned type is known; the plan has a guess
        yield from propose_attribute(situation, class_name, name, seen, said[-1:])
    yield from propose_attribute(situation, class_name, name, seen)
    yield from propose_attribute(situation, class_name, name, seen, said)


def _propose_mentioned(situation: Situation) -> Iterator[Proposal]:
    """Annotate an attribute in the failing statement: a NamedTuple, which the compiler takes for a plain tuple, a list
    that holds None as well, or an int if the statement wants a float."""
    for class_name, name in _mentioned(situation):
        seen = observations(situation, class_name, name)
        types = list(dict.fromkeys(o.type for o in seen))
        info = situation.classes.get(types[0].name) if len(types) == 1 else None
        is_plain = info is not None and info.kind is ClassKind.PLAIN
        # The compiler itself finds the type of an instance of a class, and of a single type made of those it knows.
        is_inferred = is_plain or (len(types) == 1 and _is_made_of(types[0], INFERRED))
        if types and not is_inferred:
            yield from propose_attribute(situation, class_name, name, seen)
        if NONE in types:  # then the statement may lack a refinement, which no type makes up for
            continue
        legal = [legalize(type_, SlotKind.ATTRIBUTE, situation.classes) for type_ in types]
        held = [each.type for each in legal if isinstance(each, Legal)]
        for facts in MISMATCH.read_all(situation.message):
            wanted, found = facts.type("wanted"), facts.type("found")
            if wanted is not None and wanted != NONE and found in held:
                yield from propose_attribute(situation, class_name, name, seen, [plain(wanted)], joined=False)


def propose_attribute(
    situation: Situation,
    class_name: str,
    name: str,
    seen: Sequence[Observation],
    more: Sequence[TypeExpr] = (),
    *,
    joined: bool = True,
) -> Iterator[Proposal]:
    """Proposals for an attribute that holds the seen types and `more`; if not joined, of `more` alone."""
    types = [*(o.type for o in seen), *more] if joined else more
    if not types:
        return
    legal = legalize(consolidate([plain(type_) for type_ in types])[0], SlotKind.ATTRIBUTE, situation.classes)
    is_guess = isinstance(legal, Legal) and legal.guess
    for cls in bodies(situation, class_name, name):
        slot = Slot(cls.owner, SlotKind.ATTRIBUTE, name)
        now = situation.plan.get(slot)
        for annotation in situation.annotate(slot, types):
            if now is None or now.type != annotation.type:
                origin = Origin.GUESS if is_guess else annotation.origin
                yield Proposal(place(situation, replace(annotation, evidence=tuple(seen), origin=origin), cls))


def propose_constant(
    situation: Situation, cls: Class, name: str, seen: Sequence[Observation], rule: str = "class constant"
) -> Iterator[Proposal]:
    """`Final` for an attribute with one type that a constant may have."""
    types = list(dict.fromkeys(o.type for o in seen))
    slot = Slot(cls.owner, SlotKind.ATTRIBUTE, name)
    if len(types) != 1 or not _is_made_of(types[0], (*CONSTANTS, "list", "tuple")):
        return
    found = next(situation.annotate(slot, types), None)
    if found is not None:
        final = replace(found, final=True, rules=(rule,), evidence=tuple(seen))
        if situation.plan.get(slot) != final:
            yield Proposal(place(situation, final, cls))


def _mentioned(situation: Situation) -> dict[tuple[str, str], None]:
    """The class and the name of each attribute in the failing statement, or that a local in it was assigned from."""
    statement, function = situation.statement, situation.function
    if function is None:
        return {}
    header = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    nodes = [node for child in header for node in ast.walk(child)]
    names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    nodes += [assignment.value for name in names for assignment in assignments(function.node, name)]
    found: dict[tuple[str, str], None] = {}
    for node in (node for node in nodes if isinstance(node, ast.Attribute)):
        own = is_name(node.value, function.receiver)
        # Of another object, the classes whose instances were seen with an attribute of this name.
        slots = (slot for slot in situation.seen if slot.kind is SlotKind.ATTRIBUTE and slot.name == node.attr)
        classes = [function.in_class] if own else [slot.owner.qualname for slot in slots]
        found.update(((cls.rpartition(".")[2], node.attr), None) for cls in classes)
    return found


def _is_made_of(type_: TypeExpr, names: Sequence[str]) -> bool:
    inside = all(_is_made_of(arg, names) for arg in type_.args)
    return type_.name in names and inside and (bool(type_.args) or type_.name not in ("list", "dict"))
