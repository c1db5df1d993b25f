"""Which calls in the source may mean a function, and which functions a call may mean.

A call is matched by an import of the name, otherwise by name, receiver and arguments; it may mean several functions.
"""

import ast
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pdt_annotate.source.definitions import Class, Definition, Function
from pdt_annotate.source.imports import DefinitionPlace as Defined
from pdt_annotate.source.imports import Relatives
from pdt_annotate.source.project import Project
from pdt_annotate.source.syntax import bind_arguments, called_name, dotted_name, is_call_of, is_name, root_name
from pdt_annotate.source.uses import LIBRARIES
from pdt_annotate.values.slots import Owner

BodyBinding = ast.Assign | ast.AnnAssign | ast.For


@dataclass(frozen=True)
class BodyNotes:
    """Notes on a body by name ("x", "self.x"): `bindings` as target and statement; `filled` by `append`, `[…] =`."""

    bindings: dict[str, list[tuple[ast.expr, BodyBinding]]] = field(default_factory=lambda: defaultdict(list))
    filled: dict[str, list[tuple[ast.expr, ...]]] = field(default_factory=lambda: defaultdict(list))
    calls: list[ast.Call] = field(default_factory=list)
    returned: list[ast.expr] = field(default_factory=list)


@functools.lru_cache(maxsize=16_384)
def read_body(function: Definition) -> BodyNotes:
    """Walk a function once, and reuse the notes in a process that scripts many objects of one file."""
    body = BodyNotes()
    for node in ast.walk(function):
        if isinstance(node, BodyBinding):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute) and (attribute := dotted(target)):
                    body.bindings[attribute].append((target, node))
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        body.bindings[name.id].append((target, node))
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Subscript) and (filled := dotted(target.value)):
                body.filled[filled].append((target.slice, node.value))
        elif isinstance(node, ast.Call):
            body.calls.append(node)
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr == "append" and (filled := dotted(called.value)):
                body.filled[filled].append(tuple(node.args))
        elif isinstance(node, ast.Return) and node.value is not None:
            body.returned.append(node.value)
    return body


def dotted(node: ast.expr) -> str:
    """The name of a variable, or of an attribute of one; empty for other expressions."""
    name = dotted_name(node)
    return name if name.count(".") < 2 else ""


INIT = "__init__"


@dataclass(frozen=True)
class CallSite:
    function: Function
    call: ast.Call


class CallSites:
    """The calls in the files that were read, by the name of the called object in the file that defines it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.files: set[str] = set()
        self._places: dict[str, list[CallSite]] = defaultdict(list)
        self._functions: dict[str, list[Function]] = defaultdict(list)
        self._meant: dict[ast.Call, Defined | None] = {}
        self._known: Relatives | None = None  # of the files so far
        self._classes: dict[tuple[Owner, str], Class | None] = {}  # by function and variable

    def read(self, files: Iterable[str]) -> None:
        self._known = None
        for file in files:
            self.files.add(file)
            for function in self.project.read(file).functions:
                self._functions[function.node.name].append(function)
                for call in read_body(function.node).calls:
                    place = CallSite(function, call)
                    self._places[self._name(place)].append(place)

    def naming(self, function: Function) -> list[CallSite]:
        """The calls that may mean the function by its name, with any arguments."""
        name = function.node.name
        wanted = function.in_class.rpartition(".")[2] if name == INIT else name
        return [place for place in self._places.get(wanted, ()) if self._may_mean(place, function)]

    def places_of(self, function: Function) -> list[CallSite]:
        """The calls that may mean the function; of a method, only the ones in its own file if there are any."""
        places = [place for place in self.naming(function) if _fits(place.call, function)]
        near = [p for p in places if p.function.owner.file == function.owner.file]
        return near if near and function.in_class else places

    def callees(self, place: CallSite) -> Iterator[Function]:
        """The functions that a call may mean; only the ones in its own file if there are any."""
        named = self._functions.get(self._name(place), ())
        meant = [f for f in named if self._may_mean(place, f) and _fits(place.call, f)]
        near = [f for f in meant if f.owner.file == place.function.owner.file]
        yield from near or meant

    def _name(self, place: CallSite) -> str:
        found = self.imported(place)
        return found.qualname.rpartition(".")[2] if found else called_name(place.call)

    def imported(self, place: CallSite) -> Defined | None:
        """The function or class that a call means by an import; None for other calls."""
        if place.call not in self._meant:
            file, name = place.function.owner.file, dotted_name(place.call.func)
            is_imported = name.partition(".")[0] in self.project.names.names_in(file).imports
            found = self.project.names.find(file, name) if is_imported else None
            is_defined = found and found.qualname in self.project.read(found.file).qualnames
            self._meant[place.call] = found if is_defined else None
        return self._meant[place.call]

    def _may_mean(self, place: CallSite, function: Function) -> bool:
        found = self.imported(place)
        if found is not None:
            owner = function.owner
            return owner.file == found.file and owner.qualname.removesuffix(f".{INIT}") == found.qualname
        called = place.call.func
        if isinstance(called, ast.Name) or function.node.name == INIT:
            return not function.in_class or function.node.name == INIT
        if root_name(called) in LIBRARIES:
            return False
        caller, named = place.function, self._functions.get(function.node.name, ())
        # A call on another object means another class than the caller's own, if another class has the method too.
        is_own = function.in_class == caller.in_class != ""
        delegates = is_own and any(f.in_class not in ("", caller.in_class) for f in named)
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return bool(function.in_class) and not delegates and not self._means_a_stranger(place, function)
        if called.value.id != caller.receiver or not caller.receiver:
            made = self._made(caller, called.value.id)
            if made and self._relatives.method(made, function.node.name):
                return self._is_of(function, [made])
            return not delegates  # a method of another object, or a function of a module
        if caller.in_class == function.in_class:
            return True
        if any((f.owner.file, f.in_class) == (caller.owner.file, caller.in_class) for f in named):
            return False
        return bool(function.in_class) and not self._means_a_stranger(place, function)

    def _means_a_stranger(self, place: CallSite, function: Function) -> bool:
        """Whether `self` or `super()` is called in a class that no class has with the function's among its bases."""
        called, caller = place.call.func, place.function
        cls = self.project.class_named(caller.owner.file, caller.in_class) if caller.in_class else None
        is_own = isinstance(called, ast.Attribute) and (
            is_call_of(called.value, "super") or is_name(called.value, caller.receiver)
        )
        if cls is None or not is_own:
            return False
        return not self._is_of(function, (cls, *self._relatives.heirs(cls)))

    def _is_of(self, function: Function, classes: Iterable[Class]) -> bool:
        """Whether the class of a function is one of these, or one of their bases."""
        families = ((each, *self._relatives.ancestors(each)) for each in classes)
        wanted = function.owner.file, function.in_class
        return any(wanted == (c.owner.file, c.owner.qualname) for family in families for c in family)

    @property
    def _relatives(self) -> Relatives:
        if self._known is None:
            self._known = self.project.relatives(tuple(sorted(self.files)))
        return self._known

    def _made(self, caller: Function, name: str) -> Class | None:
        """The class of an object that a function makes and binds to a variable; None if it binds either name again."""
        if (caller.owner, name) not in self._classes:
            match read_body(caller.node).bindings.get(name):
                case [(ast.Name() as target, ast.Assign(value=ast.Call(made)))]:
                    names = (n for n in ast.walk(caller.node) if isinstance(n, ast.Name) and n is not target)
                    bound = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
                    bound |= {arg.arg for arg in ast.walk(caller.node) if isinstance(arg, ast.arg)}
                    is_known = bound.isdisjoint((name, dotted_name(made).partition(".")[0]))
                    found = self.project.names.find(caller.owner.file, dotted_name(made)) if is_known else None
                    self._classes[caller.owner, name] = self.project.names.class_at(found) if found else None
                case _:
                    self._classes[caller.owner, name] = None
        return self._classes[caller.owner, name]


def _fits(call: ast.Call, function: Function) -> bool:
    bound = bind_arguments(call, function.parameters)
    return bound is not None and all(p.name in bound for p in function.parameters if p.is_required)
