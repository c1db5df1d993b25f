"""The classes that a module's class inherits from: the types that its attributes held, and the body to annotate.

The compiler reads the annotations of one class alone: the first, from the instance's own upwards, that has any. So a
new annotation must repeat the annotations that it hides, and has no effect above a class with annotations of its own.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.search.repair.situation import Situation
from pdt_annotate.source.definitions import Class
from pdt_annotate.source.imports import Relatives
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.slots import Annotation, Observation, Owner, Slot, SlotKind


def observations(situation: Situation, class_name: str, name: str) -> list[Observation]:
    """The types that the attribute held, in instances of the class or of one that inherits from it."""
    named, known = meant(situation, class_name), relatives(situation)
    related = [each for cls in named for each in (*known.ancestors(cls), *known.heirs(cls))]
    family = {cls.owner.name for cls in (*named, *related)}
    slots = (slot for slot in situation.evidence.seen if slot.kind is SlotKind.ATTRIBUTE and slot.name == name)
    return [each for slot in slots if slot.owner.name in family for each in situation.evidence.seen[slot]]


def meant(situation: Situation, class_name: str) -> list[Class]:
    """The classes that a simple name in a message may mean: those with the failing function, if any has it."""
    known, function = relatives(situation), situation.function
    named = known.named(class_name)
    here = situation.class_of(function) if function is not None else None
    if here is None or len(named) < 2:
        return named
    return [cls for cls in named if here.owner in {c.owner for c in (cls, *known.ancestors(cls))}] or named


def relatives(situation: Situation) -> Relatives:
    return situation.project.relatives(situation.files)


def bodies(situation: Situation, class_name: str, name: str) -> Iterator[Class]:
    """The classes whose body may carry the annotation: the one that sets the attribute, then the instance's own."""
    own = meant(situation, class_name)
    line = [*own, *(base for cls in own for base in relatives(situation).ancestors(cls))]
    hidden = {cls.owner for i, cls in enumerate(line) if any(_has_annotations(situation, above) for above in line[:i])}
    setting = [cls for cls in line if sets(cls, name) and cls.owner not in hidden]
    heirs = (heir for cls in own for heir in relatives(situation).heirs(cls))
    slots = ((heir, Slot(replace(heir.owner, line=0), SlotKind.ATTRIBUTE, name)) for heir in heirs)
    instances = [heir for heir, slot in slots if slot in situation.evidence.seen]
    yield from {cls.owner: cls for cls in (*setting, *own, *instances) if not cls.skipped}.values()


def place(situation: Situation, annotation: Annotation, cls: Class) -> tuple[Annotation, ...]:
    """The annotation in the body of a class, with the ones that it hides, and again in classes that would hide it."""

    def repeat(each: Annotation, owner: Owner) -> Annotation:
        return replace(each, slot=replace(each.slot, owner=owner), rules=("repeated",))

    heirs = (each for each in relatives(situation).heirs(cls) if _has_annotations(situation, each) and not each.skipped)
    again = {heir.owner: repeat(annotation, heir.owner) for heir in heirs}
    # The annotations of the bases, in their source and in the plan, that the class does not have.
    present = {annotation.slot.name, *(name for name, _ in cls.annotated)}
    present |= {planned.slot.name for planned in _planned(situation, cls)}
    hidden: dict[str, Annotation] = {}
    for base in relatives(situation).ancestors(cls):
        for each in (*written(situation, base), *_planned(situation, base)):
            if each.slot.name not in present:
                hidden.setdefault(each.slot.name, repeat(each, cls.owner))
    return (annotation, *hidden.values(), *again.values())


def written(situation: Situation, cls: Class) -> Iterator[Annotation]:
    """The annotations in the body of a class that can be read."""
    for name, text in cls.annotated:
        final = "Final[" in text
        type_ = read_annotation(text.partition("Final[")[2].removesuffix("]") if final else text)
        slot = Slot(cls.owner, SlotKind.ATTRIBUTE, name)
        if type_ is not None:
            yield Annotation(slot, type_, rules=("repeated",), final=final)
            continue
        seen = [o.type for o in observations(situation, cls.node.name, name)]
        found = next(situation.annotate(slot, seen), None) if seen else None
        if found is not None:
            yield replace(found, final=final)


def _planned(situation: Situation, cls: Class) -> list[Annotation]:
    planned = situation.plan.annotations.values()
    return [a for a in planned if a.slot.kind is SlotKind.ATTRIBUTE and a.slot.owner == cls.owner]


def _has_annotations(situation: Situation, cls: Class) -> bool:
    return bool(cls.annotated) or bool(_planned(situation, cls))


def sets(cls: Class, name: str) -> bool:
    """Whether a class sets the attribute: in a method, by registering it, or in its body."""
    for node in ast.walk(cls.node):
        match node:
            case ast.Attribute(attr=attribute, ctx=ast.Store()) if attribute == name:
                return True
            case ast.Call(ast.Attribute(attr="register_buffer" | "register_parameter"), [ast.Constant(first), *_]):
                if first == name:
                    return True
    return _assigns_in_body(cls, name)


def is_constant(situation: Situation, class_name: str, name: str) -> bool:
    """Whether the attribute has its value from the body of a class, the same for all instances."""
    named = meant(situation, class_name)
    return any(_assigns_in_body(cls, name) for each in named for cls in (each, *relatives(situation).ancestors(each)))


def _assigns_in_body(cls: Class, name: str) -> bool:
    assigned = (statement for statement in cls.node.body if isinstance(statement, ast.Assign))
    return any(is_name(target, name) for statement in assigned for target in statement.targets)
