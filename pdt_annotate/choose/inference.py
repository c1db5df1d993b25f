"""Types of parameters from the source, for functions that no example entered: helpers of branches that were not taken.

They come from the arguments of calls, from values that the body puts in a parameter's place, and from functions that
the body passes it to. The types of names come from observations, annotations, or in turn from the source.
"""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize.numbers import NUMBERS
from pdt_annotate.source import syntax
from pdt_annotate.source.call_sites import BodyBinding, CallSite, CallSites, dotted, read_body
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.expressions import bind, element, type_of_expression
from pdt_annotate.source.project import Project
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.uses import infer_from_uses
from pdt_annotate.values.slots import Owner, Seen, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr, union

T = TypeVar("T")
DEPTH = 30
Question = tuple[str, Owner, str]


class Inference:
    """Answers from the source, each derived once."""

    def __init__(self, project: Project, seen: Seen) -> None:
        self.sites = CallSites(project)
        self._observed: dict[tuple[SlotKind, str, str, str], list[TypeExpr]] = defaultdict(list)
        for slot, observations in seen.items():
            key = (slot.kind, slot.owner.file, slot.owner.qualname, slot.name)
            self._observed[key] += [observation.type for observation in observations]
        self._answers: dict[Question, Any] = {}
        self._depth = 0

    def read(self, files: Iterable[str]) -> None:
        """Read more files; answers derived without them are dropped."""
        new = sorted(set(files) - self.sites.files)
        if new:
            self._answers.clear()
            self.sites.read(new)

    def called_by(self, function: Function) -> Iterator[Function]:
        """The functions that the calls in a function may mean, in all files of the project."""
        places = [CallSite(function, call) for call in read_body(function.node).calls]
        imported = {found.file for found in map(self.sites.imported, places) if found}
        self.read({function.owner.file, *filter(self.sites.project.has, imported)})
        for place in places:
            yield from self.sites.callees(place)

    def answer(self, question: Question, derive: Callable[[], T], unknown: T) -> T:
        """The answer to a question; `unknown` if it depends on itself, or at too great a depth."""
        if question not in self._answers:
            if self._depth >= DEPTH:
                return unknown
            self._answers[question] = unknown
            self._depth += 1
            try:
                self._answers[question] = derive()
            finally:  # there may be no time for it
                self._depth -= 1
        found: T = self._answers[question]
        return found

    def observed(self, owner: Owner, kind: SlotKind, name: str) -> TypeExpr | None:
        """The one type of all observations of a name, on any line."""
        types = self._observed.get((kind, owner.file, owner.qualname, name))
        return consolidate(types)[0] if types else None

    def passed_or_made(self, function: Function, name: str) -> list[TypeExpr]:
        """The types that are passed for a parameter; otherwise the type that the body makes of it.

        The observed type of an attribute that keeps it goes before both. Places that contradict each other may mean
        several functions of one name; then the first is believed, or a Tensor among them: the compiler reports a number
        passed for a Tensor, but silently converts a Tensor to a number.
        """
        kept = self._kept_as(function, name)
        if kept is not None:
            return [kept]
        passed = self.passed(function, name)
        known = [type_ for type_ in passed if type_ != NONE]
        if known and is_mixed(consolidate(known)[0]) and not syntax.tested_classes(function.node, name):
            believed = TENSOR if TENSOR in known else known[0]
            return [believed, *([NONE] if NONE in passed else [])]
        if known:
            return passed
        own = self.answer(("own", function.owner, name), lambda: self._made_of(function, name), None)
        return passed if own is None else [*passed, own]

    def passed(self, function: Function, name: str) -> list[TypeExpr]:
        """The known types of the arguments for a parameter, the first place first."""

        def derive() -> list[TypeExpr]:
            types: dict[TypeExpr | None, None] = {}
            for place in self.sites.places_of(function):
                if (passed := syntax.passed_argument(place.call, function, name)) is not None:
                    type_ = type_of_expression(passed, BodyNames(self, place.function))
                    is_not_none = isinstance(passed, ast.Name) and syntax.is_known_not_none(place.function.node, passed)
                    types[_without_none(type_) if is_not_none and type_ is not None else type_] = None
            return [type_ for type_ in types if type_ is not None]

        return self.answer(("passed", function.owner, name), derive, [])

    def _kept_as(self, function: Function, name: str) -> TypeExpr | None:
        """The observed type of the attribute in which a constructor keeps the parameter."""
        if function.node.name != "__init__" or not function.receiver:
            return None
        cls = Owner(function.owner.file, function.in_class, 0)
        for target, bindings in read_body(function.node).bindings.items():
            receiver, _, attribute = target.rpartition(".")
            if receiver == function.receiver and any(
                isinstance(statement, ast.Assign) and syntax.is_name(statement.value, name) for _, statement in bindings
            ):
                known = self.observed(cls, SlotKind.ATTRIBUTE, attribute)
                if known is not None:
                    return known
        return None

    def _made_of(self, function: Function, name: str) -> TypeExpr | None:
        """The T of `if x is None: x = …`; otherwise from values put into it, from the return, or from a callee."""
        names = BodyNames(self, function)
        replacement = names.type_of_local(name)
        if replacement is not None and syntax.tests_for_none(function.node, name):
            return union(replacement, NONE)
        filled = names.type_of_filled(name)
        if filled is None and any(syntax.is_name(v, name) for v in read_body(function.node).returned):
            known = self._shown_return(function)  # by observation or annotation
            filled = _without_none(known) if known is not None else None
        if filled is not None:
            return filled
        for call in read_body(function.node).calls:
            for callee in self.sites.callees(CallSite(function, call)):
                for parameter in callee.parameters:
                    passed = syntax.passed_argument(call, callee, parameter.name)
                    if passed is not None and syntax.is_name(passed, name):
                        known = BodyNames(self, callee).type_of_parameter(parameter.name, guess=False)
                        if known not in (None, NONE):
                            return known
        return None

    def returned(self, place: CallSite) -> TypeExpr | None:
        """The type that a call returns, if the functions that it may mean agree."""
        types = {self._return_type(function) for function in self.sites.callees(place)}
        return types.pop() if len(types) == 1 else None

    def _return_type(self, function: Function) -> TypeExpr | None:
        def derive() -> TypeExpr | None:
            names = BodyNames(self, function)
            types = {type_of_expression(value, names) for value in read_body(function.node).returned}
            return types.pop() if len(types) == 1 else None

        return self._shown_return(function) or self.answer(("returned", function.owner, ""), derive, None)

    def put_into(self, methods: Iterable[Function], attribute: str, kind: str) -> TypeExpr | None:
        """The type of a container ("list" or "dict") in an attribute, from the values that the methods put into it."""
        names = ((BodyNames(self, method), f"{method.receiver}.{attribute}") for method in methods if method.receiver)
        return next(filter(None, (scope.type_of_filled(name, kind) for scope, name in names)), None)

    def result(self, function: Function) -> tuple[TypeExpr | None, bool]:
        """The type that a function returns that is never run or read, and whether that is a guess.

        From its `return`s, with unknown parts of a tuple as Tensors; else as many Tensors as the callers unpack.
        """
        names = BodyNames(self, function)
        is_guess, types = False, [type_of_expression(value, names) for value in read_body(function.node).returned]
        for index, value in enumerate(read_body(function.node).returned):
            if types[index] is None and isinstance(value, ast.Tuple):
                parts = tuple(type_of_expression(part, names) or TENSOR for part in value.elts)
                is_guess, types[index] = True, TypeExpr("tuple", parts)
        known = [type_ for type_ in types if type_ is not None]
        if known and len(known) == len(types):
            return consolidate(known)[0], is_guess
        counts = {
            len(target.elts)
            for place in self.sites.places_of(function)
            for target, statement in chain(*read_body(place.function.node).bindings.values())
            if isinstance(statement, ast.Assign) and statement.value is place.call
            if isinstance(target, (ast.Tuple, ast.List))
        }
        return (TypeExpr("tuple", (TENSOR,) * counts.pop()), True) if len(counts) == 1 else (None, False)

    def returns(self, function: Function) -> list[TypeExpr]:
        """The known types of a function's `return`s: both branches of a conditional expression."""
        names = BodyNames(self, function)
        values = chain.from_iterable(map(syntax.choices, read_body(function.node).returned))
        return [type_ for value in values if (type_ := type_of_expression(value, names)) is not None]

    def _shown_return(self, function: Function) -> TypeExpr | None:
        written = read_annotation(function.returns) if function.returns else None
        return written or self.observed(function.owner, SlotKind.RETURN, "return")


@dataclass(frozen=True)
class BodyNames:
    """The scope of one function's body: the types of its names and of its receiver's attributes."""

    inference: Inference
    function: Function

    def type_of_name(self, name: str) -> TypeExpr | None:
        """The type that was observed when the function returned, else that of the parameter or of the assignments."""

        def derive() -> TypeExpr | None:
            local = self.inference.observed(self.function.owner, SlotKind.LOCAL, name)
            known = local if local != NONE else None
            return known or self.type_of_parameter(name) or self.type_of_local(name) or local

        return self.inference.answer(("name", self.function.owner, name), derive, None)

    def type_of_attribute(self, node: ast.Attribute) -> TypeExpr | None:
        receiver = self.function.receiver
        if not receiver or not isinstance(node.value, ast.Name) or node.value.id != receiver:
            return None
        cls = Owner(self.function.owner.file, self.function.in_class, 0)
        observed = self.inference.observed(cls, SlotKind.ATTRIBUTE, node.attr)
        module = self.inference.sites.project.read(self.function.owner.file)
        init = None if observed else module.function_named(f"{self.function.in_class}.__init__")
        if init is None:
            return observed
        scope, attribute = BodyNames(self.inference, init), f"{init.receiver}.{node.attr}"
        return self.inference.answer(("attribute", init.owner, node.attr), lambda: scope.type_of_local(attribute), None)

    def type_of_call(self, node: ast.Call) -> TypeExpr | None:
        return self.inference.returned(CallSite(self.function, node))

    def type_of_parameter(self, name: str, *, guess: bool = True) -> TypeExpr | None:
        """The type of a parameter, by annotation, observation, the source, or as a guess its default and its uses."""
        parameter = self.function.parameter(name)
        if parameter is None:
            return None
        if parameter.annotation:
            return read_annotation(parameter.annotation)
        seen = self.inference.observed(self.function.owner, SlotKind.PARAMETER, name)
        if seen is not None and seen != NONE:
            return seen
        types = self.inference.passed_or_made(self.function, name)
        if guess:
            types = [*types, *(each for each in (seen, parameter.default) if each is not None)]
            used = infer_from_uses(self.function.node, name) if set(types) <= {NONE} else None
            types += [used] if used else []
        return consolidate(types)[0] if types else seen

    def type_of_local(self, name: str) -> TypeExpr | None:
        """The type of the first binding of a name that has a known type."""
        for target, statement in read_body(self.function.node).bindings.get(name, ()):
            type_ = self._assigned(statement)
            found = {dotted(target): type_, **dict(bind(target, type_))}.get(name) if type_ is not None else None
            if found is None:
                continue
            if found.name in ("list", "dict") and not found.args:
                found = self.type_of_filled(name, found.name) or found
            if found.args or found.name not in ("list", "dict"):
                return found
        return None

    def _assigned(self, statement: BodyBinding) -> TypeExpr | None:
        if isinstance(statement, ast.AnnAssign):
            return read_annotation(ast.unparse(statement.annotation))
        if isinstance(statement, ast.For):
            return element(type_of_expression(statement.iter, self))
        return type_of_expression(statement.value, self)

    def type_of_filled(self, name: str, kind: str = "") -> TypeExpr | None:
        """The type of a container, from the first value of a known type that is put into it."""
        for parts in read_body(self.function.node).filled.get(name, ()):
            types = [type_ for part in parts if (type_ := type_of_expression(part, self)) is not None]
            if len(types) == len(parts) == 1:
                return TypeExpr("list", tuple(types))
            if len(types) == len(parts) == 2:
                by_index = types[0].name == "int" and kind != "dict"
                return TypeExpr("list", (types[1],)) if by_index else TypeExpr("dict", tuple(types))
        return None


def is_mixed(type_: TypeExpr) -> bool:
    """Whether a type is, or holds, a Union of more than numbers and None."""
    members = {member.name for member in type_.members} - {NONE.name}
    return (len(members) > 1 and not members <= set(NUMBERS)) or any(map(is_mixed, type_.args))


def _without_none(type_: TypeExpr) -> TypeExpr | None:
    members = [member for member in consolidate([type_])[0].members if member != NONE]
    return union(*members) if members else None
