"""The task that tells what modules hold and callers pass, beside types: what mends that change code rest on."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType
from typing import Any

import torch

from pdt_annotate.observers import make_code_filter
from pdt_annotate.processes.child.prepared import Prepared, run_call
from pdt_annotate.processes.fork import silence
from pdt_annotate.values.live import is_a, module_of_class, qualname_of, state_of
from pdt_annotate.values.mends import Held, HeldValue, LiveFacts, Variadic

PLAIN = (bool, int, float, str, type(None))
VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
ITEMS = 64  # how many elements of a container are looked at
Noted = dict[tuple[str, str], dict[str, list[HeldValue]]]


def facts(prepared: Prepared) -> LiveFacts:
    """Run the example calls, and tell what the modules held before and after, and what variadic parameters took."""
    watch = _Watch(make_code_filter(prepared.root, prepared.third_party))
    watch.look(prepared.built)
    for call in prepared.calls:
        with silence(), contextlib.suppress(Exception), watch:
            run_call(prepared, prepared.built, call)
        watch.look(prepared.built)
    return LiveFacts(watch.held(), dict(watch.variadic))


class _Watch:
    """Notes what variadic parameters take while it is entered, and what modules hold when it looks."""

    def __init__(self, is_wanted: Any) -> None:
        self._is_wanted = is_wanted
        self.variadic: dict[tuple[str, str], Variadic] = {}
        self._before: dict[tuple[int, str], HeldValue] = {}
        self._values: dict[tuple[str, str], dict[str, dict[HeldValue, None]]] = defaultdict(lambda: defaultdict(dict))
        self._changed: set[tuple[tuple[str, str], str]] = set()
        self._members: dict[tuple[str, str], dict[int, set[str]]] = defaultdict(dict)

    def __enter__(self) -> None:
        sys.setprofile(self._note_call)

    def __exit__(self, *raised: object) -> None:
        sys.setprofile(None)

    def _note_call(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & VARIADIC and self._is_wanted(code):
            function, new = (code.co_filename, code.co_qualname), _passed(code, frame.f_locals)
            self.variadic[function] = self.variadic.get(function, Variadic()) | new

    def look(self, built: object) -> None:
        """Note what every module of the target holds now."""
        if not isinstance(built, torch.nn.Module):
            return
        for module in built.modules():
            held = dict(_attributes(module))
            for cls in _own_classes(type(module), self._is_wanted):
                self._members[cls].setdefault(id(module), set()).update(held)
                for name, value in held.items():
                    self._values[cls][name].setdefault(value)
                    if self._before.get((id(module), name), value) != value:
                        self._changed.add((cls, name))
            self._before.update({(id(module), name): value for name, value in held.items()})

    def held(self) -> Mapping[tuple[str, str], Mapping[str, Held]]:
        return {
            cls: {
                name: Held(
                    tuple(values),
                    any(name not in names for names in self._members[cls].values()),
                    (cls, name) in self._changed,
                )
                for name, values in attributes.items()
            }
            for cls, attributes in self._values.items()
        }


def _passed(code: CodeType, values: Mapping[str, Any]) -> Variadic:
    """What the variadic parameters of a call took, which has just begun."""
    index = code.co_argcount + code.co_kwonlyargcount
    positional, names = 0, ()
    if code.co_flags & inspect.CO_VARARGS:
        positional = len(values[code.co_varnames[index]])
        index += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        names = tuple(values[code.co_varnames[index]])
    return Variadic(positional, names)


def _own_classes(cls: type, is_wanted: Any) -> Iterator[tuple[str, str]]:
    """The classes of the project that a class is or inherits from, by file and qualified name."""
    for each in cls.__mro__:
        functions = (f for f in vars(each).values() if is_a(f, FunctionType))
        code = next((f.__code__ for f in functions if f.__qualname__ == f"{each.__qualname__}.{f.__name__}"), None)
        if code is not None and is_wanted(code):
            yield code.co_filename, each.__qualname__


def _attributes(module: torch.nn.Module) -> Iterator[tuple[str, HeldValue]]:
    """What a module holds by name: plain attributes, parameters, buffers and submodules."""
    state = state_of(module)
    inner = (state.get(name, {}) for name in ("_parameters", "_buffers", "_modules"))
    mine = {k: v for k, v in state.items() if not k.startswith("_") or k not in _INTERNAL}
    for name, value in {**mine, **{k: v for each in inner for k, v in each.items()}}.items():
        yield name, describe(value)


_INTERNAL = frozenset(vars(torch.nn.Module()))


def describe(value: object) -> HeldValue:
    """A value in plain words."""
    cls = type(value)
    name = _name_of(value)
    if cls in PLAIN:
        return HeldValue(name, literal=repr(value))
    if is_a(value, FunctionType, BuiltinFunctionType, type):
        return HeldValue(name, name=_importable(value))
    if cls in (list, tuple, torch.nn.ModuleList, torch.nn.Sequential):
        return HeldValue(name, length=len(value), items=_kinds(list(value)))  # type: ignore[arg-type,call-overload]
    if cls in (dict, torch.nn.ModuleDict):
        return HeldValue(name, length=len(value), items=_kinds(list(value.values())))  # type: ignore[arg-type,attr-defined]
    declared = {name: member for each in reversed(cls.__mro__) for name, member in state_of(each).items()}
    always_true = declared.keys().isdisjoint(("__len__", "__bool__"))
    immutable = is_a(value, tuple) or getattr(declared.get("__dataclass_params__"), "frozen", False)
    return HeldValue(name, always_true=always_true, immutable=immutable, is_module=is_a(value, torch.nn.Module))


def _kinds(values: list[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_name_of, values[:ITEMS])))


def _name_of(value: object) -> str:
    """The dotted name of the class of a value."""
    return f"{module_of_class(type(value))}.{qualname_of(type(value))}"


def _importable(value: Any) -> str:
    """The dotted name under which an import finds the very object; "" where none does."""
    module = getattr(value, "__module__", "") or ""
    for place in (module, module.removesuffix("._C._nn"), "torch", "torch.nn.functional"):
        name = value.__name__
        if getattr(sys.modules.get(place), name, None) is value:
            return f"{place}.{name}"
    return ""
