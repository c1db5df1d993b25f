"""A module attribute that the compiler could not convert, or took too narrowly: `self.items = []`, `self.x = None`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pdt_annotate.ir import Annotation, Slot, SlotKind, TypeExpr
from pdt_annotate.repair.expect import propose_expected
from pdt_annotate.repair.situation import Proposal, Situation, plain
from pdt_annotate.script_types import parse_type
from pdt_annotate.survey import Class
from pdt_annotate.written import read_annotation

MISSING = re.compile(r"Module '(?P<class>\w+)' has no attribute '(?P<name>\w+)'")
NARROW = re.compile(
    r"Wrong type for attribute assignment\. Expected (?P<wanted>.+?) but got (?P<found>.+?)$", re.MULTILINE
)


def propose(situation: Situation) -> Iterator[Proposal]:
    """Let the assigned value fit; else annotate the attribute, in the class that sets it or that has it."""
    narrow, statement = NARROW.search(situation.failure.message), situation.statement()
    wanted = parse_type(narrow["wanted"]) if narrow else None
    if wanted is not None and isinstance(statement, ast.Assign):
        yield from propose_expected(situation, statement.value, wanted)
    for class_name, name, types in _attributes(situation):
        for cls in classes_with(situation, class_name, name):
            slot = Slot(cls.owner, SlotKind.ATTRIBUTE, name)
            for proposal in situation.propose(slot, types):
                yield Proposal((*proposal.changes, *repeat_inherited(situation, cls)))


def _attributes(situation: Situation) -> Iterator[tuple[str, str, list[TypeExpr]]]:
    """The class, the attribute, and the types that it must hold."""
    message, function = situation.failure.message, situation.function
    missing = MISSING.search(message)
    if missing:
        observed = observed_types(situation, missing["class"], missing["name"])
        if observed:
            yield missing["class"], missing["name"], observed
    narrow = NARROW.search(message)
    name = _assigned_attribute(situation)
    if narrow and name and function and function.in_class:
        class_name = function.in_class.rpartition(".")[2]
        said = [plain(t) for t in map(parse_type, (narrow["wanted"], narrow["found"])) if t is not None]
        observed = observed_types(situation, class_name, name)
        if observed:
            yield class_name, name, observed
        yield class_name, name, [*observed, *said]


def _assigned_attribute(situation: Situation) -> str:
    statement, function = situation.statement(), situation.function
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    for target in targets:
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and function:
            return target.attr if target.value.id == function.receiver else ""
    return ""


def observed_types(situation: Situation, class_name: str, name: str) -> list[TypeExpr]:
    """What the attribute was seen to hold, in instances of the class or of one that inherits from it."""
    family = {cls.owner.qualname for cls in relatives(situation, class_name)}
    return [
        observation.type
        for slot, seen in situation.seen.items()
        if slot.kind is SlotKind.ATTRIBUTE and slot.name == name and slot.owner.qualname in family
        for observation in seen
    ]


def relatives(situation: Situation, class_name: str) -> list[Class]:
    """The classes of this simple name, their bases, and the classes that inherit from them."""
    named = list(_classes(situation, class_name))
    up = [base for cls in named for base in ancestors(situation, cls)]
    names = {cls.owner.qualname.rpartition(".")[2] for cls in named}
    down = [cls for cls in _all_classes(situation) if names & {b.rpartition(".")[2] for b in cls.bases}]
    return [*named, *up, *down]


def ancestors(situation: Situation, cls: Class) -> Iterator[Class]:
    """The classes of the project that a class inherits from, nearest first."""
    for base in cls.bases:
        for found in _classes(situation, base.rpartition(".")[2]):
            if found.owner != cls.owner:
                yield found
                yield from ancestors(situation, found)


def classes_with(situation: Situation, class_name: str, name: str) -> Iterator[Class]:
    """The classes whose body may carry the annotation: the one that assigns the attribute, then the instance's own.

    A class-body annotation hides those of the bases, so it must not stand above a class that has annotations.
    """
    own = list(_classes(situation, class_name))
    line = [*own, *(base for cls in own for base in ancestors(situation, cls))]
    setting = [cls for cls in line if _assigns(cls, name)]
    hidden = {cls.owner for i, cls in enumerate(line) if any(above.annotated for above in line[:i])}
    yield from dict.fromkeys([*(cls for cls in setting if cls.owner not in hidden), *own])


def repeat_inherited(situation: Situation, cls: Class) -> Iterator[Annotation]:
    """The bases' own class-body annotations, which an annotation on this class would hide."""
    present = {name for name, _ in cls.annotated}
    for base in ancestors(situation, cls):
        for name, text in base.annotated:
            type_ = read_annotation(text.removeprefix("Final[").removesuffix("]") if "Final[" in text else text)
            if name not in present and type_ is not None:
                present.add(name)
                slot = Slot(cls.owner, SlotKind.ATTRIBUTE, name)
                yield Annotation(slot, type_, rules=("repeated",), final="Final" in text)


def _assigns(cls: Class, name: str) -> bool:
    for node in ast.walk(cls.node):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name:
            return True
        if isinstance(node, ast.Call) and _registers(node) == name:
            return True
    return False


def _registers(call: ast.Call) -> object:
    """The name of the buffer that a call registers, if it does."""
    is_registration = isinstance(call.func, ast.Attribute) and call.func.attr == "register_buffer"
    first = call.args[0] if is_registration and call.args else None
    return first.value if isinstance(first, ast.Constant) else None


def _classes(situation: Situation, simple_name: str) -> Iterator[Class]:
    return (cls for cls in _all_classes(situation) if cls.owner.qualname.rpartition(".")[2] == simple_name)


def _all_classes(situation: Situation) -> Iterator[Class]:
    for file in situation.files():
        yield from situation.project.survey(file).classes
