"""The input of a repairer: the failure, the plan that failed, the sources, and all observations."""

import ast
import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.search.plan import Plan
from pdt_annotate.source.definitions import Class, Function, Parameter, literal_type
from pdt_annotate.source.project import Project
from pdt_annotate.source.syntax import assignments, called_name, statement_at
from pdt_annotate.values.slots import Annotation, Legal, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr, union
from pdt_annotate.values.verdicts import Failure


@dataclass(frozen=True)
class Proposal:
    """A change to the plan that may mend a failure."""

    changes: tuple[Annotation, ...]
    doubt: int = 0  # its distance from the message
    rebuilds: bool = False  # it takes effect when the target is built again


@dataclass(frozen=True)
class Situation:
    """One failure in its surroundings. `compiled` are the functions that the compiler has read so far."""

    failure: Failure
    plan: Plan
    evidence: Evidence
    compiled: tuple[Owner, ...]

    @property
    def message(self) -> str:
        return self.failure.message

    @property
    def project(self) -> Project:
        return self.evidence.project

    @functools.cached_property
    def function(self) -> Function | None:
        return self.project.function_at(self.failure.place.file, self.failure.place.line)

    @functools.cached_property
    def reading(self) -> Function | None:
        """The same, only for reading, in any file."""
        return self.project.reading_at(self.failure.place.file, self.failure.place.line)

    @functools.cached_property
    def statement(self) -> ast.stmt:
        """The innermost statement at the failing line, also in code that cannot be annotated; else an empty one."""
        innermost = statement_at(self.reading.node, self.failure.place.line) if self.reading else None
        return innermost or ast.Pass()

    @functools.cached_property
    def names(self) -> list[str]:
        """The names that the statement reads or writes, in source order; of a compound statement, only its header."""
        nodes: list[ast.AST] = [self.statement]
        if isinstance(self.statement, (ast.For, ast.While, ast.If, ast.With)):
            nodes = [child for child in ast.iter_child_nodes(self.statement) if not isinstance(child, ast.stmt)]
        names = [n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)]
        return list(dict.fromkeys(n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))))

    @property
    def called_names(self) -> list[str]:
        """The names of the functions that the statement calls: "f" for `f(x)` and for `self.f(x)`."""
        calls = (node for node in ast.walk(self.statement) if isinstance(node, ast.Call))
        return list(filter(None, map(called_name, calls)))

    def is_free(self, function: Function, parameter: Parameter) -> bool:
        return not parameter.annotation and not function.settled

    def observed(self, slot: Slot) -> list[TypeExpr]:
        return [o.type for o in self.evidence.seen.get(slot, ())]

    def is_new(self, annotation: Annotation) -> bool:
        """Whether the plan has another type in the slot, or none."""
        planned = self.plan.get(annotation.slot)
        return planned is None or planned.type != annotation.type

    def annotate(self, slot: Slot, types: Iterable[TypeExpr]) -> Iterator[Annotation]:
        """Annotations for a slot that hold all the types, the preferred one first; none if no legal type exists."""
        joined, rules = consolidate([plain(type_) for type_ in types])
        legal = legalize(joined, slot.kind, self.evidence.classes)
        seen = tuple(self.evidence.seen.get(slot, ()))
        if isinstance(legal, Legal):
            for type_ in (legal.type, *legal.alternatives):
                yield Annotation(slot, type_, Origin.REPAIR, (*rules, *legal.rules), seen, because=self.message)

    def propose(self, slot: Slot, types: Iterable[TypeExpr]) -> Iterator[Proposal]:
        """One proposal for each way to hold all the types in a slot, apart from its current annotation."""
        yield from (Proposal((each,)) for each in self.annotate(slot, types) if self.is_new(each))

    def propose_for_name(self, name: str, types: Sequence[TypeExpr]) -> Iterator[Proposal]:
        """Let a name of the function have the types, joined with its observed types."""
        function, slot = self.function, self.slot_of_name(name)
        if function is None or slot is None:
            return
        initial = initial_types(function, name)
        seen = [t for t in self.observed(slot) if t.name != "Any"]
        if any(type_ != NONE for type_ in seen):
            yield from self.propose(slot, [*seen, *initial])
        if types:
            yield from self.propose(slot, [*types, *initial])
            if seen:
                yield from self.propose(slot, [*seen, *types, *initial])

    def slot_of_name(self, name: str) -> Slot | None:
        """The slot that annotates a name of the function: a free parameter, or the first assignment of a local."""
        function = self.function
        if function is None or function.settled:
            return None
        if (parameter := function.parameter(name)) is not None:
            return None if parameter.annotation else function.owner.parameter(name)
        assignment = next(iter(assignments(function.node, name)), None)
        return Slot(function.owner, SlotKind.LOCAL, name, assignment.lineno) if assignment else None

    def slot_of_value(self) -> Slot | None:
        """The slot that decides the type of the statement's value: a local, or the return."""
        function, statement = self.function, self.statement
        if function is None or function.settled:
            return None
        if isinstance(statement, ast.Return):
            return None if function.returns else function.owner.returned
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Name) and function.parameter(target.id) is None:
            return self.slot_of_name(target.id)
        return None

    @functools.cached_property
    def files(self) -> tuple[str, ...]:
        """The files that an example or the compiler reached; third-party files only if the compiler did."""
        entered = (slot.owner for slot in self.evidence.seen if self.project.is_own(slot.owner.file))
        owners = [*self.compiled, *entered]
        return tuple(file for file in dict.fromkeys(owner.file for owner in owners) if self.project.has(file))

    def functions_named(self, name: str) -> Iterator[Function]:
        """Functions and methods of this name that the compiler has read, the most recent in front."""
        simple = name.rpartition(".")[2]
        owners = [owner for owner in reversed(self.compiled) if owner.qualname.rpartition(".")[2] == simple]
        return filter(None, map(self.project.function, dict.fromkeys(owners)))

    def uncompiled_named(self, name: str) -> Iterator[Function]:
        functions = (function for file in self.files for function in self.project.read(file).functions)
        return (each for each in functions if each.node.name == name and each.owner not in self.compiled)

    def class_of(self, function: Function) -> Class | None:
        return self.project.class_named(function.owner.file, function.in_class) if function.in_class else None


def plain(type_: TypeExpr) -> TypeExpr:
    """A legal type in the form in which types are observed: Optional[T] is a Union with None."""
    args = tuple(plain(arg) for arg in type_.args)
    if type_.name == "Optional":
        return union(*args, NONE)
    return TypeExpr(type_.name, args, type_.bases)


def initial_types(function: Function, name: str) -> list[TypeExpr]:
    """The initial types of a name that its annotation must include: a local's None, a parameter's default."""
    parameter = function.parameter(name)
    if parameter is not None:
        return [parameter.default] if parameter.default in (NONE, TypeExpr("str")) else []
    assignment = next(iter(assignments(function.node, name)), None)
    value = assignment.value if assignment else None
    if value is not None and _is_list_of_none(value):
        return [TypeExpr("list", (NONE,))]
    return [NONE] if value is not None and literal_type(value) == NONE else []


def _is_list_of_none(value: ast.expr) -> bool:
    """Whether an initial value is `[None] * n` or `[None for _ in …]`."""
    if isinstance(value, ast.BinOp):
        return _is_list_of_none(value.left) or _is_list_of_none(value.right)
    elements = value.elts if isinstance(value, ast.List) else [value.elt] if isinstance(value, ast.ListComp) else []
    return bool(elements) and all(literal_type(element) == NONE for element in elements)
