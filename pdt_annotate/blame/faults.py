"""All faults of an object, although the compiler shows only one: leave out the faulty code and compile again.

Each compilation is isolated. All code in a function that the front end refuses is found in one round, since it looks at
one statement at a time. A fault that cannot be left out ends the hunt, and may hide more.
"""

import ast
import bisect
import linecache
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import torch

from pdt_annotate.blame import front_end
from pdt_annotate.blame.cuts import Cut, CutFunction, own_nodes, read_definition, widen
from pdt_annotate.findings.messages import classify
from pdt_annotate.findings.messages.said import UNKNOWN_ANNOTATION, telling_line
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.processes.child.isolation import run_isolated
from pdt_annotate.source.moves import Places
from pdt_annotate.values.budget import ALLOWANCES, UNBOUNDED, Budget
from pdt_annotate.values.slots import Owner, Place
from pdt_annotate.values.verdicts import Failure, Fault
from pdt_annotate.verify.judges.scripts import MARK, Compilation

LIBRARY = "PDT056"  # the code of a fault in a library's function, for any message


@dataclass(frozen=True)
class CompileResult:
    """The result of one compilation: failures, the function that has them, and all functions that were read."""

    failures: tuple[Failure, ...] = ()
    owner: Owner | None = None
    read: tuple[Owner, ...] = ()
    # The function of a library that fails when the user's code calls it: "rearrange of einops.einops".
    library: str = ""


@dataclass(frozen=True)
class FaultsFound:
    """The faults of one part, and the functions that its compilation reads."""

    faults: tuple[Fault, ...]
    read: frozenset[Owner]
    left: tuple[Fault, ...] = ()  # the faults that end the hunt, known or doubtful; they may hide others


@dataclass
class FaultFinder:
    """The hunt for the faults of one target. Code that was cut for a child stays cut for its parents.

    Parameters with a known type are annotated already in the sources for the compiler, so that a missing annotation,
    which is a fault itself, hides no other.
    """

    types: front_end.Types  # the known types of parameters without annotation on disk, and of results
    is_ours: Callable[[str], bool]
    # By the owner of a `forward`, the names under which modules with this `forward` are called.
    submodules: Mapping[Owner, Collection[str]] = field(default_factory=dict)
    # The time for it, and the compilations for each part.
    budget: Budget = field(default_factory=lambda: UNBOUNDED.part("faults"))
    cuts: dict[Owner, Cut] = field(default_factory=dict)
    faults: dict[tuple[Place, str], Fault] = field(default_factory=dict)
    unannotated: set[tuple[type, str]] = field(default_factory=set)
    methods: Sequence[str] = ()

    def search(self, subject: Any, methods: Sequence[str] = ()) -> FaultsFound:
        """All faults in the code that compiling an object and its `methods` reads, except those of earlier searches."""
        self.methods = methods
        met: list[Fault] = []
        look = CompileResult()
        for _ in range(self.budget.steps):
            look = self._locate(subject, self._compile(subject))
            missing = (front_end.missing_annotations(owner, self.types.get(owner, ())) for owner in look.read)
            by_place = {(fault.failure.place, fault.code): fault for fault in missing if fault}
            fresh = {key: fault for key, fault in by_place.items() if key not in self.faults}
            self.faults.update(fresh)
            met += fresh.values()
            if not look.failures:
                for hidden in run_isolated(self._look_at_libraries, look.read) or ():
                    met += [fault for failure in hidden.failures if (fault := self._note(failure, hidden))]
                return FaultsFound(tuple(met), frozenset(look.read))
            met += [fault for failure in look.failures if (fault := self._note(failure, look))]
            if not self._leave_out(look) or self.budget.is_spent:
                break
        left = tuple(Fault(classify(failure.text or failure.message), failure, look.owner) for failure in look.failures)
        return FaultsFound(tuple(met), frozenset(look.read), left)

    def _compile(self, subject: Any) -> CompileResult:
        return run_isolated(self._look, subject) or CompileResult((Failure("the compiler did not return"),))

    def _locate(self, subject: Any, look: CompileResult) -> CompileResult:
        """If the message has no place in the user's code, find the statement that causes it.

        Otherwise find the annotations in a class body that do; they are left out from then on.
        """
        failure = next(iter(look.failures), None)
        if failure is None:
            return look
        ours = [owner for owner in reversed(look.read) if self.is_ours(owner.file)]
        for owner in () if self.is_ours(failure.place.file) else ours[: ALLOWANCES["suspects"].steps]:
            if not self._fails_with(subject, look, owner, Cut(whole=True)):
                place = self._locate_statement(subject, look, owner)
                return replace(look, owner=owner, failures=(replace(failure, place=place),))
        if failure.place.file or not UNKNOWN_ANNOTATION.is_in(failure.message):
            return look
        modules = subject.modules() if isinstance(subject, torch.nn.Module) else ()
        unknown = dict.fromkeys(found for module in modules for found in front_end.unknown_annotations(module))
        new = [each for each in unknown if each not in self.unannotated]
        self.unannotated.update(new)
        placed = tuple(front_end.place_annotation(failure, *each) for each in new)
        return replace(look, failures=placed or look.failures)

    def _locate_statement(self, subject: Any, look: CompileResult, owner: Owner) -> Place:
        """The first statement that causes a failure, found by halves; the definition if none does."""
        anatomy = self._anatomy(owner)
        lines = sorted({statement.lineno for statement in anatomy.statements}) if anatomy else []

        def fails_before(index: int) -> bool:
            return self._fails_with(subject, look, owner, Cut(frozenset(lines[index:])))

        end = bisect.bisect_left(range(len(lines)), True, key=fails_before)
        if not end:
            return Places().of(owner)
        line = linecache.getline(owner.file, lines[end - 1])
        return Place(owner.file, lines[end - 1], 1 + len(line) - len(line.lstrip()))

    def _fails_with(self, subject: Any, look: CompileResult, owner: Owner, cut: Cut) -> bool:
        before = dict(self.cuts)
        own = before.get(owner, Cut())
        self.cuts[owner] = replace(own, lines=own.lines | cut.lines, whole=own.whole or cut.whole)
        try:
            return [f.message for f in self._compile(subject).failures] == [f.message for f in look.failures]
        finally:
            self.cuts = before

    def _look(self, subject: Any) -> CompileResult:
        compilation = Compilation()
        with front_end.leaving_out(lambda owner: self._anatomy(owner) if owner in self.cuts else None, self.types):
            for cls, name in self.unannotated:
                cls.__annotations__.pop(name, None)
            called = ((owner, each) for owner in self.cuts for each in self._calls_cut_off(owner))
            own = ((owner, each) for owner, each in called if isinstance(each, ast.Attribute))
            named = ((owner, each.attr) for owner, each in own if ast.unparse(each.value) == "self")
            methods = (path for owner, name in named for path in front_end.siblings(subject, owner, name))
            compilation.run(subject, [*self.methods, *methods])
            for _, function in self._called_cut_off(compilation.compiled):
                if self.is_ours(function.__code__.co_filename) and compilation.verdict.ok:
                    compilation.run(function)
            return self._read(compilation)

    def _read(self, compilation: Compilation) -> CompileResult:
        failure, read = compilation.verdict.failure, tuple(compilation.compiled)
        if failure is None:
            return CompileResult(read=read)
        function = front_end.function_at(compilation.functions, failure)
        if function is not None and not self.is_ours(function.__code__.co_filename):
            library = f"{function.__qualname__} of {function.__module__}"
            return self._read_library(compilation, failure, library)
        if function is None:
            return CompileResult((failure,), None, read)
        several = tuple(front_end.refusals(function)) if failure.kind in front_end.FRONT_END else ()
        return CompileResult(several or (failure,), Owner.of(function.__code__), read)

    def _read_library(self, compilation: Compilation, failure: Failure, library: str) -> CompileResult:
        """A failure inside a library, at the user's call of it; at each call if no argument matters."""
        read, functions = tuple(compilation.compiled), compilation.functions
        places = (failure.place, *failure.chain)
        own = next((index for index, place in enumerate(places) if self.is_ours(place.file)), 0)
        failure = replace(failure, place=places[own], chain=places[own + 1 :])
        if self.is_ours(failure.place.file):
            caller = front_end.function_at(functions, failure)
            return CompileResult((failure,), Owner.of(caller.__code__) if caller else None, read, library)
        callee = front_end.function_at(functions, replace(failure, place=places[-1]))
        for owner in reversed(read):
            if callee is None or not self.is_ours(owner.file) or (anatomy := self._anatomy(owner)) is None:
                continue
            calls = [replace(failure, place=place) for place in front_end.places_of_calls(owner, callee)]
            placed = [(call, anatomy.statement_at(call.place.line)) for call in calls]
            left = [call for call, statement in placed if statement and statement.lineno not in anatomy.cut.lines]
            if left:
                failures = tuple(calls if failure.kind in front_end.FRONT_END else left[:1])
                return CompileResult(failures, owner, read, library)
        return CompileResult((failure,), None, read, library)

    def _look_at_libraries(self, read: Iterable[Owner]) -> list[CompileResult]:
        """Library functions that only left-out statements call, and that the front end refuses for any argument."""
        found: dict[FunctionType, CompileResult] = {}
        for owner, function in self._called_cut_off(read):
            if self.is_ours(function.__code__.co_filename) or front_end.is_builtin(function) or function in found:
                continue
            compilation = Compilation()
            compilation.run(function)
            failure = compilation.verdict.failure
            refused = failure is not None and failure.kind in front_end.FRONT_END
            places = front_end.places_of_calls(owner, function) if refused else ()
            failures = tuple(replace(failure, place=place) for place in places if failure)
            library = f"{function.__qualname__} of {function.__module__}"
            found[function] = CompileResult(failures, owner, library=library)
        return list(found.values())

    def _called_cut_off(self, read: Iterable[Owner]) -> Iterator[tuple[Owner, FunctionType]]:
        for owner in read:
            for called in self._calls_cut_off(owner) if owner in self.cuts and self.is_ours(owner.file) else ():
                function = look_up(module_of(owner.file), ast.unparse(called))
                if isinstance(function, FunctionType) and not hasattr(function, MARK):
                    yield owner, function

    def _calls_cut_off(self, owner: Owner) -> Iterator[ast.expr]:
        """The callees in the statements of a function that are left out."""
        anatomy = self._anatomy(owner)
        cut_off = (each for each in anatomy.statements if each.lineno in anatomy.cut.lines) if anatomy else ()
        return (node.func for each in cut_off for node in own_nodes(each) if isinstance(node, ast.Call))

    def _anatomy(self, owner: Owner) -> CutFunction | None:
        """A function under its cut, with the names by which it calls others that differ from their source by now."""
        definition, suspects = read_definition(owner), set[str]()
        if definition is None:
            return None
        for other, cut in self.cuts.items():
            if len({(each.file, each.qualname.rpartition(".")[0] or each.qualname) for each in (other, owner)}) == 1:
                suspects.update(cut.attributes)
            source = read_definition(other) if other != owner else None
            if source is None or not (anatomy := CutFunction(source, cut)).is_opaque():
                continue
            has_type = anatomy.lacks_return() and bool(front_end.result_type(self.types.get(other, ())))
            if not has_type or cut.parameters or cut.signature:
                suspects.update(self.submodules.get(other, {source.name}))
        return CutFunction(definition, self.cuts.get(owner, Cut()), frozenset(suspects))

    def _note(self, failure: Failure, look: CompileResult) -> Fault | None:
        """Record a failure, unless it is known, or the left-out statements may cause it."""
        owner, code = look.owner, classify(failure.text or failure.message)
        if look.library:
            code, failure = LIBRARY, replace(failure, message=f"{look.library}: {telling_line(failure)}")
        key = (failure.place.whole_line, failure.message)
        anatomy = self._anatomy(owner) if owner and failure.kind not in front_end.FRONT_END else None
        if key in self.faults or (anatomy is not None and not anatomy.is_reliable(failure.place.line, failure.message)):
            return self.faults.get(key) if owner is None else None
        self.faults[key] = Fault(code, failure, owner)
        return self.faults[key]

    def _leave_out(self, look: CompileResult) -> bool:
        """Cut the failing code. Returns whether there was anything left to cut."""
        anatomy = self._anatomy(look.owner) if look.owner else None
        if look.owner is None or anatomy is None:
            return all(UNKNOWN_ANNOTATION.is_in(failure.message) and failure.place.file for failure in look.failures)
        before = self.cuts.get(look.owner, Cut())
        cut = before
        for failure in look.failures:
            cut = widen(cut, anatomy, failure)
        if cut == before or not self.is_ours(look.owner.file):
            cut = replace(before, whole=True)
        self.cuts[look.owner] = cut
        return cut != before
