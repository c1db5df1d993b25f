"""The joined observations of all runs, and the annotations chosen from them as functions come in reach."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from pdt_annotate.choose.choose_slot import PassedTypes, choose_parameters, choose_return
from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.inference import Inference
from pdt_annotate.choose.legalize.numbers import NUMBERS
from pdt_annotate.findings.compiler_types import named_classes
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.project import Project
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Annotation, ClassInfo, ClassKind, Finding, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr

EXPORT = re.compile(r"\bexport$")
IGNORE = re.compile(r"\bignore(\(|$)")


class Evidence:
    """Observations by slot, the classes they mention, and the findings from choosing.

    Of the observations of several targets, the first description of a class counts.
    """

    def __init__(self, project: Project, observed: Iterable[Observed]) -> None:
        observed = list(observed)
        self.project = project
        by_slot: dict[Slot, dict[TypeExpr, Observation]] = defaultdict(dict)
        for new in (each for one in observed for each in one.observations):
            before = by_slot[new.slot].setdefault(new.type, new)
            if before is not new:  # several runs showed the same type
                calls = tuple(dict.fromkeys((*before.calls, *new.calls)))
                by_slot[new.slot][new.type] = replace(before, count=before.count + new.count, calls=calls)
        self.seen = {slot: list(by_type.values()) for slot, by_type in by_slot.items()}
        self.namesakes = Namesakes(self.seen, project.package_of)
        self.inference = Inference(project, self.seen)
        self.reached = {slot.owner for slot in self.seen}
        self.asked_for = {owner for one in observed for owner in one.asked_for if project.is_own(owner.file)}
        self.lazy = tuple(dict.fromkeys(name for one in observed for name in one.lazy))
        self.classes = {info.name: info for one in reversed(observed) for info in one.classes}
        self.findings: dict[Slot, list[Finding]] = defaultdict(list)
        self._chosen: dict[Owner, tuple[Annotation, ...]] = {}
        self._find_stubs = cache(lambda file: find_stubs(project.read(file).functions))

    @property
    def entered(self) -> set[Owner]:
        """The functions under the root that an example entered."""
        return {owner for owner in self.reached if self.project.is_own(owner.file)}

    @property
    def likely_compiled(self) -> set[Owner]:
        """The functions that an example entered, and `forward` of the modules that a model holds."""
        held = {slot.owner.name for slot in self.seen if slot.kind is SlotKind.ATTRIBUTE}
        own = (self.project.read(file) for file in {file for file, _ in held} if self.project.is_own(file))
        functions = (function for module in own for function in module.functions)
        forward = (f for f in functions if f.node.name == "forward" and (f.owner.file, f.in_class) in held)
        return self.entered.union(function.owner for function in forward)

    def choose_in_reach(self, compiled: Iterable[Owner]) -> Iterator[Annotation]:
        """Annotations for the functions that a compilation reached, and for the ones that it will reach from there.

        These are their callees, methods of their classes that are marked for the compiler, and the callees of these; in
        a package that it reached, also all functions that an example entered.
        """
        owners = set(compiled)
        packages = {self.project.package_of(owner.file) for owner in owners} - {""}
        if packages:
            owners |= {owner for owner in self.reached if self.project.package_of(owner.file) in packages}
        return self.choose(self.in_reach(owners))

    def in_reach(self, owners: set[Owner]) -> set[Owner]:
        """The functions, their callees, and the functions that are marked for the compiler."""
        found, new = set(owners), set(owners)
        while new:
            reached: set[Owner] = set()
            for function in filter(None, map(self.project.function, sorted(new))):
                siblings = self.project.read(function.owner.file).functions if function.in_class else ()
                marked = (each for each in siblings if any(map(EXPORT.search, each.decorators)))
                reached.update(each.owner for each in self.inference.called_by(function))
                reached.update(each.owner for each in marked if each.in_class == function.in_class)
            new = reached - found
            found |= new
        return found

    def choose(self, owners: Iterable[Owner]) -> Iterator[Annotation]:
        """Annotations for the parameters of these functions and of their overloads; each function is decided once."""
        wanted = {owner for owner in owners if self.project.has(owner.file)}
        self.inference.read({owner.file for owner in wanted})
        for owner in sorted(self.with_stubs(wanted), key=lambda owner: (owner.file, owner.line)):
            if owner not in self._chosen:
                function = self.project.function(owner)
                chosen: Iterable[Annotation | Finding] = ()
                if function is not None:
                    seen, passed = self._known(function, self._find_stubs(owner.file).get(owner))
                    namesake = partial(self.namesakes.of_parameter, owner)
                    chosen = choose_parameters(function, seen, self.classes, namesake, passed)
                self._chosen[owner] = tuple(self._keep(chosen))
            yield from self._chosen[owner]

    def with_stubs(self, owners: set[Owner]) -> set[Owner]:
        """These functions, and the overloads that are declared for them."""
        files = {owner.file for owner in owners if self.project.has(owner.file)}
        stubs = (stub for file in files for stub in self._find_stubs(file).values())
        return owners | {stub.function.owner for stub in stubs if stub.implementation.owner in owners}

    def choose_returns(self, ignored: Iterable[Owner]) -> Iterator[Annotation]:
        """Annotations for the returns of functions whose body the compiler does not read."""
        for owner in ignored:
            function = self.project.function(owner)
            if function is not None:
                infer = partial(self.inference.result, function)
                yield from self._keep(choose_return(function, self.seen, self.classes, infer))

    def runs_in_python(self, owner: Owner) -> bool:
        """Whether compiled code calls a function as Python: its result must then fit its annotation."""
        function = self.project.function(owner)
        decorators = function.decorators if function else ()
        return any(IGNORE.search(decorator) and "drop=True" not in decorator for decorator in decorators)

    def learn_classes(self, message: str) -> None:
        """Describe the plain classes of the project that a message of the compiler names, and no example showed.

        The source does not show all of classes that have base classes or decorators.
        """
        for name in named_classes(message):
            module = self.project.module_of(name) if name not in self.classes else ""
            qualname = name.removeprefix(f"{module}.")
            cls = self.project.class_named(self.project.modules[module], qualname) if module else None
            if cls is not None and not (set(cls.bases) - {"object"} or cls.decorators):
                self.classes[name] = ClassInfo(name, module, qualname, ClassKind.PLAIN, cls.place.file, cls.place.line)

    def _keep(self, chosen: Iterable[Annotation | Finding]) -> Iterator[Annotation]:
        """The annotations; findings go to `self.findings`."""
        for each in chosen:
            if isinstance(each, Annotation):
                yield each
            elif each.slot is not None and each not in self.findings[each.slot]:
                self.findings[each.slot].append(each)

    def _known(self, function: Function, stub: "Stub | None") -> tuple[dict[Slot, list[Observation]], PassedTypes]:
        """The observations of a function's parameters, and the types that the source passes; for a stub its share."""
        if stub is None:
            return self.seen, partial(self.inference.passed_or_made, function)
        seen: dict[Slot, list[Observation]] = {}
        for parameter in function.parameters if not function.settled else ():
            slot = function.owner.parameter(parameter.name)
            observed = self.seen.get(replace(slot, owner=stub.implementation.owner), ())
            dealt = [] if parameter.annotation else stub.deal(parameter.name, [o.type for o in observed])
            seen[slot] = [replace(o, slot=slot) for o in observed if o.type in dealt]
        return seen, lambda name: stub.deal(name, self.inference.passed_or_made(stub.implementation, name))


class Namesakes:
    """Types of other slots with the same name, for functions that no example entered.

    A package uses one name for one thing more often than not. Other packages do not count, nor a name whose
    observations disagree.
    """

    def __init__(self, seen: Mapping[Slot, Sequence[Observation]], package_of: Callable[[str], str]) -> None:
        self._package_of = package_of
        self._by_name: dict[tuple[SlotKind, str, str], dict[Owner, list[TypeExpr]]] = defaultdict(dict)
        for slot, observations in seen.items():
            shown = (o.type for o in observations if o.type != NONE and o.type.name != "Any")
            types = [each for each in shown if each.args or each.name not in ("list", "dict", "set")]
            if types and slot.kind in (SlotKind.PARAMETER, SlotKind.RETURN):
                self._by_name[slot.kind, slot.name, package_of(slot.owner.file)][slot.owner] = types

    def of_parameter(self, owner: Owner, name: str) -> TypeExpr | None:
        """The one type of the parameters of this name: of overriding methods, else in the file, else in the package."""
        known = self._known(SlotKind.PARAMETER, name, owner)
        circles = (
            [types for other, types in known.items() if _method(other) == _method(owner)],
            [types for other, types in known.items() if other.file == owner.file],
            list(known.values()),
        )
        nearest = next((circle for circle in circles if circle), None)
        joined = consolidate([type_ for types in nearest for type_ in types])[0] if nearest else None
        return None if joined is None or joined.name == "Union" else joined

    def of_return(self, owner: Owner) -> list[TypeExpr]:
        """The types that methods of the same name returned: they may override an abstract one."""
        known = self._known(SlotKind.RETURN, "return", owner)
        return [type_ for other, types in known.items() if _method(other) == _method(owner) for type_ in types]

    def _known(self, kind: SlotKind, name: str, owner: Owner) -> Mapping[Owner, Sequence[TypeExpr]]:
        return self._by_name.get((kind, name, self._package_of(owner.file)), {})


def _method(owner: Owner) -> str:
    return owner.qualname.rpartition(".")[2]


# Without their underscore, which an `import … as` drops. A stub of typing's is one as well, and is never compiled.
DECORATORS = ("overload", "overload_method")


@dataclass(frozen=True)
class Stub:
    """One stub, with its implementation and all stubs of that, itself included, in source order."""

    function: Function
    implementation: Function
    all: tuple[Function, ...]

    def deal(self, name: str, types: Sequence[TypeExpr]) -> list[TypeExpr]:
        """The types of a parameter that belong to this stub; None belongs to all."""
        kinds: list[list[TypeExpr]] = []  # groups that are one type to a stub: numbers, lists of any elements
        for new in (each for each in types if each != NONE):
            kind = next((kind for kind in kinds if _is_one_kind(kind[0], new)), None)
            if kind is None:
                kinds.append([new])
            else:
                kind.append(new)
        declared = [(each, each.parameter(name)) for each in self.all]
        written = [(each, parameter.annotation if parameter else "") for each, parameter in declared]
        free = [each for each, annotation in written if not annotation]
        taken = list(filter(None, (read_annotation(annotation) for _, annotation in written)))
        left = [kind for kind in kinds if not any(_is_one_kind(kind[0], other) for other in taken)] or kinds
        place = free.index(self.function)
        mine = left[place:] if place == len(free) - 1 else left[place : place + 1]
        return [type_ for type_ in types if type_ == NONE or any(type_ in kind for kind in mine or left[-1:])]


def is_stub(function: Function) -> bool:
    """Whether a function is the declaration of an overload, which never runs."""
    return any(decorator.rpartition(".")[2].lstrip("_") in DECORATORS for decorator in function.decorators)


def find_stubs(functions: Iterable[Function]) -> dict[Owner, Stub]:
    """The stubs among the functions of a file that an implementation follows."""
    by_name = grouped((function.owner.qualname, function) for function in functions)
    return {
        stub.owner: Stub(stub, group[-1], tuple(stubs))
        for group in by_name.values()
        if (stubs := list(filter(is_stub, group))) and not is_stub(group[-1])
        for stub in stubs
    }


def _is_one_kind(one: TypeExpr, other: TypeExpr) -> bool:
    return {one.name, other.name} <= set(NUMBERS) or consolidate([one, other])[0].name != "Union"
