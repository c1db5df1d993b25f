"""The tasks that observe a target.

They return the types that flow in its example calls, the modules that it imported and, for mends that change code, the
contents of modules and the arguments of callers.
"""

import collections
import contextlib
import dis
import functools
import inspect
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType
from typing import Any

import torch

from pdt_annotate.observers import files
from pdt_annotate.observers.attribute_watch import AttributeWatch
from pdt_annotate.observers.classes import MODULE, describe_classes
from pdt_annotate.observers.files import make_code_filter, make_file_filter
from pdt_annotate.observers.record_expressions import record_expressions
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.tracer import Tracer
from pdt_annotate.processes.child import dependencies
from pdt_annotate.processes.child.prepared import CONSTRUCTION, Prepared, as_if_scripting, copy_built, run_call
from pdt_annotate.processes.fork import silence
from pdt_annotate.source.uses import wanted_locals
from pdt_annotate.values.errors import PdtError, SpecError
from pdt_annotate.values.libraries import LIBRARIES
from pdt_annotate.values.live import full_name, function_of, is_a, state_of
from pdt_annotate.values.mends import Held, HeldValue, LiveFacts, Variadic
from pdt_annotate.values.paths import real_path
from pdt_annotate.values.runs import Call, Observed
from pdt_annotate.values.slots import Owner, SlotKind
from pdt_annotate.values.user_code import user_code
from pdt_annotate.verify.judges.clones import Objects

PLAIN = (bool, int, float, str, type(None))
VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
PLAIN_DICTS = (dict, collections.OrderedDict)
DICTS = (*PLAIN_DICTS, torch.nn.ModuleDict, torch.nn.ParameterDict)
CONTAINERS = (list, tuple, torch.nn.ModuleList, torch.nn.Sequential, torch.nn.ParameterList, *DICTS)
ITEMS = 64  # the most elements of a container to look at
DISTINCT = 16  # the most distinct values of one type that are kept for an expression
MANY = "many"  # in place of more
Key = tuple[str, str]  # of a function or class: its file and its qualified name
INTERNAL = frozenset(vars(torch.nn.Module()))


def observe(prepared: Prepared, *, as_scripted: bool, all_locals: bool = False) -> Observed:
    store = Store()
    code_filter = make_code_filter(prepared.root, prepared.third_party)
    watch = AttributeWatch(store, make_file_filter(prepared.root, prepared.third_party))
    tracer = Tracer(store, code_filter, functools.partial(wanted_locals, every=all_locals))
    built = Objects(prepared.built) if isinstance(prepared.built, type) else prepared.built
    again = copy_built(prepared) if as_scripted else None
    store.call = CONSTRUCTION
    watch.record(prepared.built)
    for call in prepared.calls:
        if not call.held_back:
            store.call = call.name
            watch.record_held((*call.args, *call.kwargs.values()))
            _observe_call(prepared, built, call, tracer)
            watch.record(prepared.built)
    # Only code that the first pass did not reach matters here; code for the compiler only may well fail in Python.
    store.repeat()
    with as_if_scripting(), silence():
        for call in prepared.calls if as_scripted else ():
            if not call.held_back and call.callee is None:
                with contextlib.suppress(Exception):
                    run_call(prepared, again, call, tracer.tracing(f"{call.name}, as scripted"))
    # The observations from construction for methods of classes that are not modules, but perhaps script classes.
    methods = {
        o.slot.owner: o.type
        for o in prepared.constructed.observations()
        if o.slot.kind is SlotKind.PARAMETER and o.slot.name == "self" and "." in o.slot.owner.qualname
    }
    modules = {owner for owner, type_ in methods.items() if type_.inherits(MODULE)}
    found = [
        *(o for o in prepared.constructed.observations() if o.slot.owner in methods and o.slot.owner not in modules),
        *store.observations(),
    ]
    mentioned = {name for o in found for name in o.type.names}
    named = [call.callee for call in prepared.calls]
    callees = (type(each).forward if isinstance(each, torch.nn.Module) else each for each in named)
    return Observed(
        observations=tuple(found),
        classes=describe_classes(mentioned, in_memory=prepared.in_memory),
        calls=tuple(call.name for call in prepared.calls if not call.held_back),
        held_back=tuple(call.name for call in prepared.calls if call.held_back),
        closure=dependencies.describe(prepared.root),
        asked_for=tuple(Owner.of(function.__code__) for function in filter(None, map(function_of, callees))),
        methods=prepared.methods,
        lazy=prepared.lazy,
        makes_code=not tracer.files.isdisjoint(dependencies.watched.written),
    )


def _observe_call(prepared: Prepared, built: Any, call: Call, tracer: Tracer) -> None:
    """Make a call; raises `SpecError` if it should raise and does not, and `UserCodeError` if it should not."""
    around = tracer.tracing(call.name)
    try:
        with contextlib.nullcontext() if call.raises else user_code(f"{call.name} raised"):
            run_call(prepared, built, call, around)
    except PdtError:
        raise
    except Exception:  # as the call should
        return
    if call.raises:
        raise SpecError(f"{call.name} is meant to raise, but does not", hint="remove `raises` if the call must return")


def loaded_files(prepared: Prepared) -> dict[str, str]:
    return files.imported_under(prepared.root)


def third_party_files(prepared: Prepared) -> dict[str, str]:
    return files.imported_elsewhere(prepared.root)


def library_modules(prepared: Prepared) -> tuple[str, ...]:
    """The modules of libraries that this session has imported, and not the process that it is a fork of."""
    is_ours, known = make_file_filter(prepared.root), dependencies.watched.modules
    new = ((name, file) for name, file in files.imported() if name not in known)
    return tuple(name for name, file in new if real_path(file).startswith(LIBRARIES) and not is_ours(file))


def facts(prepared: Prepared) -> LiveFacts:
    watch, expressions = _Watch(make_code_filter(prepared.root, prepared.third_party)), _Expressions()
    watch.look(prepared.built)
    fresh = copy_built(prepared)
    for call in prepared.calls:
        with silence(), contextlib.suppress(Exception), watch.watching():
            run_call(prepared, prepared.built, call)
        watch.look(prepared.built)
    record_expressions(watch.entered, expressions.record)
    # The first calls may take other branches than later ones.
    for call in (*prepared.calls, *prepared.calls):
        with silence(), contextlib.suppress(Exception):
            run_call(prepared, fresh, call)
    return LiveFacts(watch.held(), dict(watch.variadic), expressions.values())


@dataclass
class _Expressions:
    """Records the values of expressions, by function and text; of many values only the type is kept."""

    _types: dict[tuple[Key, str], dict[type, dict[object, HeldValue]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )

    def record(self, expression: tuple[Key, str], value: Any) -> None:
        cls = type(value)
        known = self._types[expression][cls]
        if MANY in known:
            return
        key: object = cls
        if cls in PLAIN:
            key = repr(value)
        elif cls in CONTAINERS or is_a(value, FunctionType, BuiltinFunctionType, type, torch.nn.Module):
            key = describe(value)
        if key not in known and len(known) < DISTINCT:
            known[key] = describe(value)
        elif key not in known:
            self._types[expression][cls] = {MANY: HeldValue(full_name(cls))}

    def values(self) -> dict[Key, dict[str, tuple[HeldValue, ...]]]:
        found: dict[Key, dict[str, tuple[HeldValue, ...]]] = defaultdict(dict)
        for (function, text), types in self._types.items():
            found[function][text] = tuple(dict.fromkeys(each for known in types.values() for each in known.values()))
        return dict(found)


@dataclass
class _Watch:
    """Records functions and variadic arguments while it is watching, and the contents of modules at each look."""

    is_wanted: Any
    entered: dict[CodeType, Mapping[str, Any]] = field(default_factory=dict)
    variadic: dict[Key, Variadic] = field(default_factory=dict)
    _before: dict[tuple[int, str], HeldValue] = field(default_factory=dict)
    _values: dict[Key, dict[str, dict[HeldValue, None]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    _changed: set[tuple[Key, str]] = field(default_factory=set)
    _late: set[tuple[Key, str]] = field(default_factory=set)
    _members: dict[Key, dict[int, set[str]]] = field(default_factory=lambda: defaultdict(dict))

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        def note_call(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            if event != "call" or not self.is_wanted(code):
                return
            self.entered[code] = frame.f_globals
            if code.co_flags & VARIADIC:
                function, found = (code.co_filename, code.co_qualname), inspect.getargvalues(frame)
                positional = len(found.locals[found.varargs]) if found.varargs else 0
                names = tuple(found.locals[found.keywords]) if found.keywords else ()
                new = Variadic(positional, names, fewest=positional)
                self.variadic[function] = self.variadic.get(function, new) | new

        sys.setprofile(note_call)
        try:
            yield
        finally:
            sys.setprofile(None)

    def look(self, built: object) -> None:
        if not isinstance(built, torch.nn.Module):
            return
        for module in built.modules():
            state = state_of(module)
            inner = (state.get(name, {}) for name in ("_parameters", "_buffers", "_modules"))
            mine = {k: v for k, v in state.items() if not k.startswith("_") or k not in INTERNAL}
            values = {**mine, **{k: v for members in inner for k, v in members.items()}}
            held = {name: describe(value) for name, value in values.items()}
            held |= _first_members(module) | _paths_in_lists(module, values) | _paths_in_objects(module, values)
            # The classes of the project that it is or inherits from, by file and qualified name.
            for each in type(module).__mro__:
                functions = (f for f in vars(each).values() if is_a(f, FunctionType))
                own = (f.__code__ for f in functions if f.__qualname__ == f"{each.__qualname__}.{f.__name__}")
                if (code := next(own, None)) is None or not self.is_wanted(code):
                    continue
                cls = code.co_filename, each.__qualname__
                members = self._members[cls].setdefault(id(module), set(held))
                self._late.update((cls, name) for name in held.keys() - members)
                members.update(held)
                for name, value in held.items():
                    self._values[cls][name].setdefault(value)
                    if self._before.get((id(module), name), value) != value:
                        self._changed.add((cls, name))
            self._before |= {(id(module), name): value for name, value in held.items()}

    def held(self) -> Mapping[Key, Mapping[str, Held]]:
        found: dict[Key, dict[str, Held]] = defaultdict(dict)
        for cls, attributes in self._values.items():
            for name, values in attributes.items():
                lacking = any(name not in names for names in self._members[cls].values())
                place = (cls, name)
                found[cls][name] = Held(tuple(values), lacking, place in self._changed, place in self._late)
        return found


def _paths_in_lists(module: torch.nn.Module, values: Mapping[str, Any]) -> dict[str, HeldValue]:
    """The paths of the layers that lists and dicts of a module hold, with their indices or keys: "layers[]"."""
    found: dict[str, HeldValue] = {}
    for name, value in values.items():
        is_dict = type(value) in PLAIN_DICTS
        items = list(value.values() if is_dict else value) if is_dict or type(value) in (list, tuple) else []
        if 0 < len(items) <= ITEMS and all(is_a(item, torch.nn.Module) for item in items):
            paths = _paths(module)
            texts = [paths.get(id(item), "") for item in items]
            keys = tuple(value if is_dict else range(len(items)))
            if all(texts) and all(type(key) in PLAIN for key in keys):
                found[f"{name}[]"] = HeldValue("", name=" ".join(texts), keys=tuple(map(repr, keys)))
    return found


def _paths_in_objects(module: torch.nn.Module, values: Mapping[str, Any]) -> dict[str, HeldValue]:
    """The paths of the module itself, or of layers in it, that plain objects hold in their fields: "solver[net]"."""
    known = (*PLAIN, *CONTAINERS, torch.Tensor, torch.nn.Module, FunctionType, type)
    objects = {name: state_of(value) for name, value in values.items() if not is_a(value, *known)}
    fields = {f"{name}[{key}]": each for name, state in objects.items() for key, each in state.items()}
    layers = {name: each for name, each in fields.items() if is_a(each, torch.nn.Module)}
    paths = _paths(module) if layers else {}
    found = ((name, each, paths.get(id(each))) for name, each in layers.items())
    return {name: HeldValue(full_name(type(each)), name=path or ".") for name, each, path in found if path is not None}


def _paths(module: torch.nn.Module) -> dict[int, str]:
    """The modules in a module, by identity, each with the code that reads it: ".levels[0].conv"."""
    modules = dict(torch.nn.Module.named_modules(module))
    found = {"": ""}
    for name in modules:  # each after the one around it
        outer, _, last = name.rpartition(".")
        above = modules[outer]
        if name and outer in found:
            # The compiler does not count layers that are None.
            is_list = type(above) in (torch.nn.ModuleList, torch.nn.Sequential)
            if last.isidentifier() or (is_list and None not in state_of(above)["_modules"].values()):
                found[name] = found[outer] + (f".{last}" if last.isidentifier() else f"[{last}]")
    return {id(modules[name]): path for name, path in found.items()}


def _first_members(module: torch.nn.Module) -> dict[str, HeldValue]:
    """The names of the first parameter and the first buffer of a module, and of its children: "layer.parameters()"."""
    own = torch.nn.Module
    found: dict[str, HeldValue] = {}
    for prefix, inner in (("", module), *((f"{name}.", child) for name, child in own.named_children(module))):
        for kind, members in (("parameters", own.named_parameters), ("buffers", own.named_buffers)):
            for name, value in itertools.islice(members(inner), 1):
                found[f"{prefix}{kind}()"] = HeldValue(full_name(type(value)), name=name)
    return found


def describe(value: Any) -> HeldValue:
    cls, name = type(value), full_name(type(value))
    if cls in PLAIN:
        return HeldValue(name, literal=repr(value))
    if is_a(value, FunctionType, BuiltinFunctionType, type):
        module = getattr(value, "__module__", "") or ""
        places = (module, module.removesuffix("._C._nn"), "torch", "torch.nn.functional")
        found = (each for each in places if getattr(sys.modules.get(each), value.__name__, None) is value)
        place = next(found, "")  # that imports this very object
        return HeldValue(name, name=f"{place}.{value.__name__}" if place else "", place=_place_of_lambda(value))
    if cls in CONTAINERS:
        items = list(value.values() if cls in DICTS else value)
        types = tuple(dict.fromkeys(full_name(type(each)) for each in items[:ITEMS]))
        keys = tuple(value) if cls in DICTS and cls is not torch.nn.ModuleDict and len(value) <= ITEMS else ()
        keys = keys if all(type(key) is str and key.isidentifier() for key in keys) else ()
        return HeldValue(name, length=len(items), items=types, keys=keys, is_module=is_a(value, torch.nn.Module))
    declared = {name: member for each in reversed(cls.__mro__) for name, member in state_of(each).items()}
    always_true = declared.keys().isdisjoint(("__len__", "__bool__"))
    immutable = is_a(value, tuple) or getattr(declared.get("__dataclass_params__"), "frozen", False)
    if not is_a(value, torch.nn.Module):
        return HeldValue(name, always_true=always_true, immutable=immutable)
    # A class of the project may inherit its length, and so its truth, from one of these.
    lengths = [each.__len__ for each in (torch.nn.ModuleList, torch.nn.Sequential, torch.nn.ModuleDict)]
    is_sized = "__bool__" not in declared and declared.get("__len__") in lengths and "_modules" in state_of(value)
    length = len(state_of(value)["_modules"]) if is_sized else -1
    return HeldValue(name, length=length, always_true=always_true, is_module=True, stateless=_is_stateless(value))


def _place_of_lambda(value: Any) -> tuple[str, tuple[int, int]] | None:
    """The file of a lambda that reads no variables of a function around it, and where its body begins."""
    code = value.__code__ if is_a(value, FunctionType) else None
    if code is None or code.co_name != "<lambda>" or code.co_freevars:
        return None
    places = [(line, column) for line, _, column, end in code.co_positions() if end]
    return (code.co_filename, min(places)) if places else None


def _is_stateless(module: Any) -> bool:
    if "_modules" not in state_of(module):  # it is being built
        return False
    members = list(torch.nn.Module.modules(module))
    holds = any(state_of(each)[kind] for each in members for kind in ("_parameters", "_buffers"))
    return not holds and not any(map(_keeps_state, set(map(type, members))))


@functools.cache
def _keeps_state(cls: Any) -> bool:
    """Whether a method of a class of modules reads the mode, or sets an attribute after construction."""
    own = [each for each in cls.__mro__ if each not in torch.nn.Module.__mro__]
    methods = (f for each in own for f in state_of(each).values() if is_a(f, FunctionType))
    codes = [f.__code__ for f in methods if f.__name__ != "__init__"]
    stored = (each.opname for code in codes for each in dis.get_instructions(code))
    return any("training" in code.co_names for code in codes) or "STORE_ATTR" in stored
