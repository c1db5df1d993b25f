"""What the source tells of a function's parameters: the types of the arguments at the places that call it, of what the
body puts in a parameter's place, and of what functions take to which the body hands it on.

For parameters that no example gave a value: helpers of branches that were not taken. A place says something where the
types of the names in it are known: from observation, from an annotation, or from places that call its own function.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.consolidate import consolidate
from pdt_annotate.expressions import bind, element, type_of_expression
from pdt_annotate.ir import NONE, Observation, Owner, Slot, SlotKind, TypeExpr, union
from pdt_annotate.project import Project
from pdt_annotate.survey import Function, Parameter
from pdt_annotate.usage import called_name, infer_from_uses, is_known_not_none, passed_argument, tests_for_none
from pdt_annotate.written import read_annotation

INIT = "__init__"


@dataclass(frozen=True)
class Place:
    """A call and the function in which it stands."""

    function: Function
    call: ast.Call


class CallSites:
    """The calls in the files that were read, by the name of what they call.

    Args:
        project: where functions are found.
        seen: the observations by slot.
    """

    def __init__(self, project: Project, seen: Mapping[Slot, Sequence[Observation]]) -> None:
        self.project = project
        self._places: dict[str, list[Place]] = defaultdict(list)
        self._methods: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._functions: dict[str, list[Function]] = defaultdict(list)
        self._parameters: dict[tuple[Owner, str], list[TypeExpr]] = {}
        self._observed = _by_name(seen)
        self._returning: set[Owner] = set()
        self._telling: set[tuple[Owner, str]] = set()

    def read(self, files: Iterable[str]) -> None:
        """Note the calls in files; what was derived without them is derived anew."""
        self._parameters.clear()
        for file in files:
            for function in self.project.survey(file).functions:
                self._functions[function.node.name].append(function)
                self._methods[file, function.in_class].add(function.node.name)
                for node in ast.walk(function.node):
                    if isinstance(node, ast.Call):
                        self._places[called_name(node)].append(Place(function, node))

    def passed(self, function: Function, name: str) -> list[TypeExpr]:
        """The types that are passed for a parameter, as far as they can be told, the first place first."""
        key = (function.owner, name)
        if key not in self._parameters:
            self._parameters[key] = []  # a function that passes its own parameter on to itself says nothing
            types = (self._argument(function, name, place) for place in self._places_of(function))
            self._parameters[key] = list(dict.fromkeys(type_ for type_ in types if type_ is not None))
        return self._parameters[key]

    def told(self, function: Function, name: str) -> list[TypeExpr]:
        """What is passed for a parameter; else what the body makes of it."""
        passed = self.passed(function, name)
        if not set(passed) <= {NONE} or (function.owner, name) in self._telling:
            return passed
        self._telling.add((function.owner, name))
        own = Body(self, function).type_of_replacement(name) or self._taken_by_callees(function, name)
        self._telling.discard((function.owner, name))
        return passed if own is None else [*passed, own]

    def _taken_by_callees(self, function: Function, name: str) -> TypeExpr | None:
        """What the functions take to which the body hands the parameter on."""
        for node in ast.walk(function.node):
            if not isinstance(node, ast.Call):
                continue
            for callee in self._functions.get(called_name(node), ()):
                if _fits(node, callee) and self._may_mean(Place(function, node), callee):
                    taken = (self._known(callee, p) for p in callee.parameters if _hands_on(node, callee, p, name))
                    known = next((type_ for type_ in taken if type_ not in (None, NONE)), None)
                    if known is not None:
                        return known
        return None

    def _known(self, function: Function, parameter: Parameter) -> TypeExpr | None:
        """The type of a parameter, by annotation, observation, or what the source tells of it."""
        if parameter.annotation:
            return read_annotation(parameter.annotation)
        seen = self.observed(function.owner, SlotKind.PARAMETER, parameter.name)
        types = [] if seen not in (None, NONE) else self.told(function, parameter.name)
        return consolidate(types)[0] if types else seen

    def observed(self, owner: Owner, kind: SlotKind, name: str) -> TypeExpr | None:
        """The one type of all that was observed of a name, wherever its line."""
        types = self._observed.get((kind, owner.file, owner.qualname, name))
        return consolidate(types)[0] if types else None

    def returned(self, call: ast.Call) -> TypeExpr | None:
        """What a call returns, where the functions of its name that were observed or annotated agree."""
        functions = self._functions.get(called_name(call), ())
        types = {self._return_type(function) for function in functions}
        return types.pop() if len(types) == 1 else None

    def _return_type(self, function: Function) -> TypeExpr | None:
        written = read_annotation(function.returns) if function.returns else None
        return written or self.observed(function.owner, SlotKind.RETURN, "return") or self._told_return(function)

    def _told_return(self, function: Function) -> TypeExpr | None:
        """The one type that the return statements tell."""
        if function.owner in self._returning:
            return None
        self._returning.add(function.owner)
        values = [n.value for n in ast.walk(function.node) if isinstance(n, ast.Return) and n.value is not None]
        types = {type_of_expression(value, Body(self, function)) for value in values}
        self._returning.discard(function.owner)
        return types.pop() if len(types) == 1 else None

    def _places_of(self, function: Function) -> list[Place]:
        """The calls that may mean the function; those of its own file alone, where there are any by method."""
        name = function.node.name
        wanted = function.in_class.rpartition(".")[2] if name == INIT else name
        places = [p for p in self._places.get(wanted, ()) if self._may_mean(p, function) and _fits(p.call, function)]
        near = [p for p in places if p.function.owner.file == function.owner.file]
        return near if near and function.in_class else places

    def _may_mean(self, place: Place, function: Function) -> bool:
        called = place.call.func
        if isinstance(called, ast.Name) or function.node.name == INIT:
            return not function.in_class or function.node.name == INIT
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return bool(function.in_class)
        caller = place.function
        if called.value.id != caller.receiver or not caller.receiver:
            return True  # a method of another object, or a function of a module
        own = self._methods[caller.owner.file, caller.in_class]
        return caller.in_class == function.in_class or (bool(function.in_class) and function.node.name not in own)

    def _argument(self, function: Function, name: str, place: Place) -> TypeExpr | None:
        passed = passed_argument(place.call, function, name)
        if passed is None:
            return None
        type_ = type_of_expression(passed, Body(self, place.function))
        if isinstance(passed, ast.Name) and type_ is not None and is_known_not_none(place.function.node, passed):
            return _without_none(type_)
        return type_


class Body:
    """The scope of one function's body: what its names and its receiver's attributes are known to be."""

    def __init__(self, sites: CallSites, function: Function) -> None:
        self.sites = sites
        self.function = function
        self._pending: set[str] = set()

    def type_of_name(self, name: str) -> TypeExpr | None:
        """What was observed when the function returned, or else what the parameter or the assignments say."""
        if name in self._pending:
            return None
        self._pending.add(name)
        local = self.sites.observed(self.function.owner, SlotKind.LOCAL, name)
        known = local if local != NONE else None
        found = known or self._type_of_parameter(name) or self._type_of_local(name) or local
        self._pending.discard(name)
        return found

    def type_of_attribute(self, node: ast.Attribute) -> TypeExpr | None:
        """The type of an attribute of the receiver."""
        receiver = self.function.receiver
        if not receiver or not isinstance(node.value, ast.Name) or node.value.id != receiver:
            return None
        cls = Owner(self.function.owner.file, self.function.in_class, 0)
        return self.sites.observed(cls, SlotKind.ATTRIBUTE, node.attr)

    def type_of_call(self, node: ast.Call) -> TypeExpr | None:
        return self.sites.returned(node)

    def type_of_replacement(self, name: str) -> TypeExpr | None:
        """What the body puts in the place of a parameter: the T of `if x is None: x = …`, and None with it."""
        replacement = self._type_of_local(name)
        if replacement is None or not tests_for_none(self.function.node, name):
            return None
        return union(replacement, NONE)

    def _type_of_parameter(self, name: str) -> TypeExpr | None:
        parameter = self.function.parameter(name)
        if parameter is None:
            return None
        if parameter.annotation:
            return read_annotation(parameter.annotation)
        seen = self.sites.observed(self.function.owner, SlotKind.PARAMETER, name)
        if seen is not None and seen != NONE:
            return seen
        known = [t for t in (seen, parameter.default) if t is not None]
        types = [*self.sites.told(self.function, name), *known]
        if set(types) <= {NONE} and (used := infer_from_uses(self.function.node, name)):
            types.append(used)
        return consolidate(types)[0] if types else None

    def _type_of_local(self, name: str) -> TypeExpr | None:
        """The type that the first binding which tells one gives the name."""
        for target, type_ in self._bindings(name):
            found = dict(bind(target, type_)).get(name) if type_ is not None else None
            if found is not None and found.name in ("list", "dict") and not found.args:
                found = self._type_of_filled(name, found.name)
            if found is not None:
                return found
        return None

    def _type_of_filled(self, name: str, kind: str) -> TypeExpr | None:
        """The type of a container that begins empty, by the first thing put into it of which the type is told."""
        for node in ast.walk(self.function.node):
            parts = [type_of_expression(part, self) for part in _put_into(name, kind, node)]
            if parts and None not in parts:
                return TypeExpr(kind, tuple(part for part in parts if part is not None))
        return None

    def _bindings(self, name: str) -> Iterator[tuple[ast.expr, TypeExpr | None]]:
        for node in ast.walk(self.function.node):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if name in _names(target):
                        yield target, type_of_expression(node.value, self)
            elif isinstance(node, ast.AnnAssign) and name in _names(node.target):
                yield node.target, read_annotation(ast.unparse(node.annotation))
            elif isinstance(node, ast.For) and name in _names(node.target):
                yield node.target, element(type_of_expression(node.iter, self))


def _without_none(type_: TypeExpr) -> TypeExpr | None:
    joined = consolidate([type_])[0]
    members = [m for m in (joined.args if joined.name == "Union" else (joined,)) if m != NONE]
    return union(*members) if members else None


def _put_into(name: str, kind: str, node: ast.AST) -> list[ast.expr]:
    """What a node puts into the container of this name: an element, or a key and its value."""
    if kind == "list" and isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.append":
        return node.args
    if kind == "dict" and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        item = node.targets[0]
        return [item.slice, node.value] if isinstance(item.value, ast.Name) and item.value.id == name else []
    return []


def _by_name(seen: Mapping[Slot, Sequence[Observation]]) -> dict[tuple[SlotKind, str, str, str], list[TypeExpr]]:
    found: dict[tuple[SlotKind, str, str, str], list[TypeExpr]] = defaultdict(list)
    for slot, observations in seen.items():
        key = (slot.kind, slot.owner.file, slot.owner.qualname, slot.name)
        found[key] += [observation.type for observation in observations]
    return found


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _fits(call: ast.Call, function: Function) -> bool:
    """Whether the arguments of a call bind to the parameters by number and name."""
    names = [p.name for p in function.parameters]
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return False
    required = sum(not p.has_default for p in function.parameters)
    given = len(call.args) + len(call.keywords)
    return required <= given <= len(names) and all(k.arg in names for k in call.keywords)


def _hands_on(call: ast.Call, callee: Function, parameter: Parameter, name: str) -> bool:
    """Whether a call passes the name itself for the parameter."""
    passed = passed_argument(call, callee, parameter.name)
    return isinstance(passed, ast.Name) and passed.id == name
