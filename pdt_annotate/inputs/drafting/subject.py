"""A target from its source: its construction, the functions that calls run, and their parameters."""

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pdt_annotate.inputs.target import did_you_mean, did_you_mean_file
from pdt_annotate.source.definitions import Function, Parameter
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.imports import DefinitionPlace, NameResolver, Relatives, Sources
from pdt_annotate.source.module import Namespace, load_module
from pdt_annotate.source.syntax import dotted_name, is_name
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.runs import Target

FORWARD = "forward"
CONSTRUCTOR = "__init__"

# Calls that return the module they are called on, or that they get: the result answers the same calls.
SAME_MODULE = frozenset(("cpu", "cuda", "double", "eval", "float", "half", "requires_grad_", "to", "train"))
DEPTH = 8

Kind = Literal["module", "class", "function", "unknown"]
Maker = Literal["class", "factory", "variable"]


def same_module(call: ast.Call) -> ast.expr | None:
    """The module that a call only passes through: `net` of `net.eval()` and of `torch.compile(net)`; otherwise None."""
    match call:
        case ast.Call(ast.Attribute(module, name)) if name in SAME_MODULE:
            return module
        case ast.Call(ast.Attribute(attr="compile" | "script"), [module, *_]):
            return module
    return None


@dataclass(frozen=True)
class EntryPoint:
    """A method or function that an example call can run. `is_named`: a call must set `method=`."""

    name: str
    function: Function
    is_named: bool = False


@dataclass(frozen=True)
class DraftSubject:
    """A target as its source shows it."""

    kind: Kind  # the kind of object that its calls run; "unknown" for the result of a factory that the source hides
    place: DefinitionPlace  # the definition to look for in calls: of a class, a function, a factory or a variable
    module: str  # the dotted module from which a spec imports the target; "" if no import can name it
    qualname: str
    cls: DefinitionPlace | None = None  # the class of the called instance, if the source shows it
    constructor: Function | None = None
    entries: tuple[EntryPoint, ...] = ()  # the functions that calls run, `forward` first
    maker: Maker = "class"  # the kind of definition that makes the called instance

    @property
    def constructor_parameters(self) -> tuple[Parameter, ...]:
        return self.constructor.parameters if self.constructor else ()


def read_subject(target: Target, names: NameResolver[Sources]) -> DraftSubject:
    """Find a target in the sources. Raises TargetError if there is no such file, module or name."""
    file = os.path.abspath(target.file) if target.file else names.sources.file_of(target.module)
    if target.file and not os.path.isfile(file):
        raise TargetError(f"there is no file {target.file}", hint=did_you_mean_file(target.file))
    if not file:
        hint = f"looked in {os.getcwd()}, its src/, and the installed packages; FILE.py:{target.qualname} names a file"
        raise TargetError(f"there is no source of a module {target.module!r}", hint=hint)
    place = names.find(file, target.qualname)
    subject = _Reader(names, target.module or module_name_of(file), target).read(place) if place else None
    if subject is not None:
        return subject
    found = load_module(file)
    if found is None:
        raise TargetError("the target's file cannot be parsed", file=file, hint=f"python {file} shows the line")
    known = [each.owner.qualname for each in found.by_line.values()]
    hint = did_you_mean(target.qualname, known) or "the source must define the name with `def`, `class` or `=`"
    raise TargetError(f"the source does not define {target.qualname!r}", file=file, hint=hint)


class _Reader:
    def __init__(self, names: NameResolver[Sources], module: str, target: Target) -> None:
        self.names = names
        self.relatives = Relatives(names)
        self.target = target
        self.subject = partial(DraftSubject, module=module, qualname=target.qualname)

    def read(self, place: DefinitionPlace) -> DraftSubject | None:
        qualname, _, name = place.qualname.rpartition(".")
        holder = DefinitionPlace(place.file, qualname)
        if self.names.class_at(place):
            return self._of_class(place, place)
        if qualname and self.names.class_at(holder):
            return self._of_method(holder, name)
        function = self.names.function_at(place)
        return self._of_function(place, function) if function else self._of_variable(place)

    def _of_class(self, cls: DefinitionPlace, place: DefinitionPlace, maker: Maker = "class") -> DraftSubject:
        constructor = self._method(cls, CONSTRUCTOR)
        forward = self._method(cls, FORWARD)
        kind: Kind = "module"
        found = load_module(cls.file)
        own = [f for f in found.functions if f.in_class == cls.qualname and f.receiver] if found else []
        others = [f for f in own if f.node.name not in (CONSTRUCTOR, FORWARD)]
        if forward is None and maker == "class" and not self._is_module(cls):
            # Its first call constructs an object; later ones call public methods.
            kind, name, first = "class", CONSTRUCTOR, constructor
            named = [f for f in others if not (f.node.name.startswith("_") or f.decorators)]
        else:
            name, first = FORWARD, forward
            named = [f for f in others if any(each.rpartition(".")[2] == "export" for each in f.decorators)]
        entries = [EntryPoint(name, first)] if first else []
        entries += [EntryPoint(f.node.name, f, is_named=True) for f in named]
        if kind == "module" and (member := self._method(cls, self.target.member)):
            entries = [EntryPoint(self.target.member, member)]
        return self.subject(kind, place, cls=cls, constructor=constructor, entries=tuple(entries), maker=maker)

    def _of_method(self, cls: DefinitionPlace, name: str) -> DraftSubject | None:
        function = self._method(cls, name)
        if function is None:
            return None
        entries = (EntryPoint(name, function),)
        if not function.receiver:
            return self.subject("function", DefinitionPlace(cls.file, f"{cls.qualname}.{name}"), entries=entries)
        qualname = self.target.qualname
        holder = qualname.rpartition(".")[0]
        if not (self._method(cls, FORWARD) or self._is_module(cls)):
            hint = f"target the class: {self.target.module or self.target.file}:{holder}"
            raise TargetError(f"{qualname} needs an object of a class that is not an nn.Module", hint=hint)
        constructor = self._method(cls, CONSTRUCTOR)
        return self.subject("module", cls, qualname=holder, cls=cls, constructor=constructor, entries=entries)

    def _of_function(self, place: DefinitionPlace, function: Function) -> DraftSubject:
        """A function without parameters may be a factory, depending on its return value."""
        if not function.parameters or (self.target.called and all(p.value is not None for p in function.parameters)):
            cls = self._class_returned_by(function, DEPTH)
            if cls is not None and (self._method(cls, FORWARD) or self._is_module(cls)):
                return self._of_class(cls, place, "factory")
            if cls is None and any(isinstance(value, ast.Call) for value, _ in self._returned(function)):
                return self.subject("unknown", place, maker="factory")
        return self.subject("function", place, entries=(EntryPoint(function.node.name, function),))

    def _of_variable(self, place: DefinitionPlace) -> DraftSubject | None:
        module = self.names.sources.module(place.file)
        node = module.defined.get(place.qualname) if module else None
        is_assigned = isinstance(node, ast.Assign) and any(is_name(each, place.qualname) for each in node.targets)
        if not (module and isinstance(node, ast.Assign) and is_assigned):
            return None
        cls = self._class_made_by(node.value, module.namespaces[0], DEPTH)
        return self._of_class(cls, place, "variable") if cls else self.subject("unknown", place, maker="variable")

    def _class_returned_by(self, function: Function, depth: int) -> DefinitionPlace | None:
        """The class of the instance that a function returns, by its code or else by its annotation."""
        made = (self._class_made_by(value, scope, depth) for value, scope in self._returned(function))
        said = function.returns.strip("\"'")
        named = self.names.find(function.owner.file, said) if said.isidentifier() else None
        return next(filter(None, made), None) or (named if named and self.names.class_at(named) else None)

    def _returned(self, function: Function) -> Iterator[tuple[ast.expr, Namespace]]:
        """The values that a function may return, the last first: expressions, or the bindings of names, and scopes."""
        module = self.names.sources.module(function.owner.file)
        scope = Namespace(module, function.node) if module else None
        for node in reversed(scope.nodes if scope else []):
            if scope and isinstance(node, ast.Return) and node.value:
                bound = scope.lookup(dotted_name(node.value), node.lineno)
                yield (bound.value if bound and bound.value else node.value), scope

    def _class_made_by(self, value: ast.expr, scope: Namespace, depth: int) -> DefinitionPlace | None:
        """The class of the instance that an expression makes: `Net(3)`, `make_net()`, `Net(3).eval()`."""
        bound = scope.lookup(dotted_name(value), value.lineno)
        if bound and bound.value and depth:
            return self._class_made_by(bound.value, bound.space, depth - 1)
        if not (isinstance(value, ast.Call) and depth):
            return None
        same = same_module(value)
        if same is not None:
            return self._class_made_by(same, scope, depth - 1)
        file = scope.module.file
        place = self.names.find(file, dotted_name(value.func)) if dotted_name(value.func) else None
        if place is None or self.names.class_at(place):
            return place
        function = self.names.function_at(place)
        return self._class_returned_by(function, depth - 1) if function else None

    def _method(self, place: DefinitionPlace, name: str) -> Function | None:
        """A method of a class or of its nearest base in the sources."""
        cls = self.names.class_at(place)
        return self.relatives.method(cls, name) if cls else None

    def _is_module(self, place: DefinitionPlace) -> bool:
        """Whether the source shows that a class is an nn.Module; `forward` may come from a library's base."""
        cls = self.names.class_at(place)
        known = (cls, *self.relatives.ancestors(cls)) if cls else ()
        return any(base.rpartition(".")[2] == "Module" for each in known for base in each.bases)
