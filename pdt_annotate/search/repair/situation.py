"""What a repairer may look at: the failure, the plan that failed, the sources, and all that was observed."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.choose.namesakes import Namesakes
from pdt_annotate.findings.messages.facts import Facts, Message
from pdt_annotate.search.plan import Plan
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Class, Function, Parameter
from pdt_annotate.values.slots import Annotation, ClassInfo, Legal, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure


@dataclass(frozen=True)
class Proposal:
    """A change to the plan that may mend a failure. `doubt` is how far it is from what the message says."""

    changes: tuple[Annotation, ...]
    doubt: int = 0

    @property
    def kinds(self) -> set[SlotKind]:
        """The kinds of slot that it changes."""
        return {annotation.slot.kind for annotation in self.changes}


@dataclass(frozen=True)
class Situation:
    """One failure in its surroundings. `compiled` are the functions that the compiler has read so far."""

    failure: Failure
    plan: Plan
    project: Project
    seen: Mapping[Slot, Sequence[Observation]]
    namesakes: Namesakes
    classes: Mapping[str, ClassInfo]
    compiled: tuple[Owner, ...]

    @property
    def function(self) -> Function | None:
        """The function in which the compiler stopped."""
        return self.project.function_at(self.failure.file, self.failure.line)

    @property
    def reading(self) -> Function | None:
        """The same, for reading alone, wherever its file is."""
        return self.project.reading_at(self.failure.file, self.failure.line)

    def statement(self) -> ast.stmt | None:
        """The innermost statement at the failing line, also where it stands in code that is not ours to annotate."""
        function = self.reading
        if function is None:
            return None
        around = [
            node
            for node in ast.walk(function.node)
            if isinstance(node, ast.stmt) and node.lineno <= self.failure.line <= (node.end_lineno or node.lineno)
        ]
        return max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0), node.col_offset), default=None)

    def is_free(self, function: Function, parameter: Parameter) -> bool:
        """Whether the plan may say what this parameter is."""
        return not parameter.annotation and not function.settled and parameter.name != function.receiver

    def observed(self, slot: Slot) -> list[TypeExpr]:
        return [o.type for o in self.seen.get(slot, ())]

    # What the message says.

    def says(self, message: Message) -> bool:
        return message.is_in(self.failure.message)

    def read(self, message: Message) -> Facts | None:
        return message.read(self.failure.message)

    def read_all(self, message: Message) -> Iterator[Facts]:
        return message.read_all(self.failure.message)

    # Making annotations.

    def annotate(
        self, slot: Slot, types: Iterable[TypeExpr], *, because: str = "", origin: Origin = Origin.REPAIR
    ) -> Iterator[Annotation]:
        """Annotations for a slot that hold all the types, the preferred one first; none where no legal type exists."""
        joined, rules = consolidate([plain(type_) for type_ in types])
        legal = legalize(joined, slot.kind, self.classes)
        if not isinstance(legal, Legal):
            return
        for type_ in (legal.type, *legal.alternatives):
            yield Annotation(
                slot=slot,
                type=type_,
                origin=origin,
                rules=(*rules, *legal.rules),
                evidence=tuple(self.seen.get(slot, ())),
                because=because or self.failure.message,
            )

    def propose(self, slot: Slot, types: Iterable[TypeExpr]) -> Iterator[Proposal]:
        """One proposal for each way to hold all the types in a slot, other than what stands there now."""
        now = self.plan.get(slot)
        for annotation in self.annotate(slot, types):
            if now is None or now.type != annotation.type:
                yield Proposal((annotation,))

    # Finding functions and classes.

    @functools.cached_property
    def files(self) -> tuple[str, ...]:
        """The files that were reached, by an example or by the compiler; third-party ones by the compiler alone."""
        entered = (slot.owner for slot in self.seen if self.project.is_own(slot.owner.file))
        owners = [*self.compiled, *entered]
        return tuple(file for file in dict.fromkeys(owner.file for owner in owners) if self.project.has(file))

    def functions_named(self, name: str) -> Iterator[Function]:
        """Functions and methods of this name, those that the compiler has read first, the most recent in front."""
        found: dict[Owner, Function] = {}
        for owner in reversed(self.compiled):
            if owner.qualname.rpartition(".")[2] == name.rpartition(".")[2]:
                function = self.project.function(owner)
                if function is not None:
                    found[owner] = function
        yield from found.values()

    def uncompiled_named(self, name: str) -> Iterator[Function]:
        """Functions and methods of this name in reach that the compiler has not read."""
        for file in self.files:
            for function in self.project.survey(file).functions:
                if function.node.name == name and function.owner not in self.compiled:
                    yield function

    def methods_named(self, class_name: str, name: str) -> Iterator[Function]:
        """Methods of a class given as the compiler prints it, or of the classes it inherits from."""
        simple = class_name.rpartition(".")[2]
        functions = list(self.functions_named(name))
        yield from (f for f in functions if f.in_class.rpartition(".")[2] == simple)
        yield from (f for f in functions if f.in_class and f.in_class.rpartition(".")[2] != simple)

    def class_of(self, function: Function) -> Class | None:
        return self.project.class_named(function.owner.file, function.in_class) if function.in_class else None


def parameter_slot(function: Function, name: str) -> Slot:
    return Slot(function.owner, SlotKind.PARAMETER, name)


def return_slot(function: Function) -> Slot:
    return Slot(function.owner, SlotKind.RETURN, "return")


def local_slot(function: Function, name: str, line: int) -> Slot:
    return Slot(function.owner, SlotKind.LOCAL, name, line)


def plain(type_: TypeExpr) -> TypeExpr:
    """A legal type in the form in which types are observed: Optional[T] is a Union with None."""
    args = tuple(plain(arg) for arg in type_.args)
    if type_.name == "Optional":
        members = args[0].args if args[0].name == "Union" else args
        return TypeExpr("Union", (*members, TypeExpr("None")))
    return TypeExpr(type_.name, args, type_.bases)
