"""Live classes → `ClassInfo`, for every class that a rule may have to know."""

import builtins
import dataclasses
import enum
import inspect
import sys
import typing
from collections.abc import Iterable, Mapping
from types import FunctionType, UnionType
from typing import Any

from pdt_annotate.observers.cells import MAIN, file_of_class, is_cell
from pdt_annotate.observers.type_of_value import class_name, class_type
from pdt_annotate.values import made
from pdt_annotate.values.live import file_of, module_of_class, qualname_of
from pdt_annotate.values.slots import ClassInfo, ClassKind, Owner
from pdt_annotate.values.types import TypeExpr

GENERICS = {typing.Union: "Union", UnionType: "Union", list: "list", dict: "dict", tuple: "tuple", set: "set"}
LIVE_GENERICS: Mapping[str, Any] = {
    **{"Union": typing.Union, "Optional": typing.Optional, "Final": typing.Final},
    **{"list": list, "dict": dict, "tuple": tuple},
}
BARE: Mapping[str, Any] = {"None": type(None), "Any": Any}
MODULE = "torch.nn.modules.module.Module"


def describe_classes(names: Iterable[str], *, in_memory: bool = False) -> tuple[ClassInfo, ...]:
    """Describe the classes of these dotted names that are imported now, and the classes in their fields.

    If `in_memory`, annotations are for live objects only, so they can name classes that functions made.
    """
    described: dict[str, ClassInfo] = {}
    pending = list(names)
    live = _live_classes(pending)
    while pending:
        cls = live.get(name := pending.pop())
        if cls is None or name in described:
            continue
        described[name] = info = _describe(cls, in_memory)
        mentioned = [part for _, field in info.fields if field for part in field.names]
        live.update(_live_classes(mentioned))
        pending += mentioned
    return tuple(described[name] for name in sorted(described))


def _live_classes(names: Iterable[str]) -> dict[str, type]:
    """The classes by dotted name, found in loaded modules or, for those made inside functions, among all classes."""
    wanted = {name for name in names if "." in name}
    found = {name: cls for name in wanted if (cls := _look_up(name)) is not None}
    found.update((name, cls) for name in wanted if made.is_made(name) and (cls := made.made_class(name)) is not None)
    missing = wanted - found.keys()
    if missing:
        found.update((class_name(c), c) for c in made.all_classes() if class_name(c) in missing)
    return found


def _look_up(dotted: str) -> type | None:
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        value = look_up(sys.modules.get(".".join(parts[:cut])), ".".join(parts[cut:]))
        if isinstance(value, type) and class_name(value) == dotted:
            return value
    return None


_names: dict[str, str] = {}  # by file, the name of its module


def module_of(file: str) -> Any:
    if is_cell(file):
        return sys.modules.get(MAIN)
    if file_of(_names.get(file, "")) != file:
        # The last first: a fork that looks at every module copies the memory of them all.
        _names[file] = next((name for name in reversed(list(sys.modules)) if file_of(name) == file), "")
    return sys.modules.get(_names.get(file, ""))


def look_up(value: Any, qualname: str) -> Any:
    """The value of a qualified name in a module, without running a descriptor; None if not found."""
    for part in qualname.split("."):
        value = inspect.getattr_static(value, part, None)
    return value


def find_named(file: str, qualname: str) -> list[Any]:
    """The objects of a function in an imported file, by its qualified name: several or none if a function made it."""
    holder, _, name = qualname.rpartition(".")
    if not made.is_made(qualname):
        found = _find_at_top(file, qualname)
    elif holder.endswith(made.LOCALS):
        found = list[Any](made.reached(FunctionType, file, qualname))
    else:
        found = [look_up(cls, name) for cls in made.made_classes(file, holder)]
    return [each for each in found if each is not None]


def _find_at_top(file: str, qualname: str) -> list[Any]:
    """The values of a name in an imported file; for a cell, in the classes that objects still have."""
    root, _, rest = qualname.partition(".")
    older = made.reached(type, file, root) if is_cell(file) else []
    return [look_up(cls, rest) if rest else cls for cls in older] or [look_up(module_of(file), qualname)]


def find_classes(file: str, qualname: str) -> list[type]:
    """The class of a qualified name in an imported file; if a function makes it, all that it made."""
    if made.is_made(qualname):
        return [] if qualname.endswith(made.LOCALS) else made.made_classes(file, qualname)
    return [found for found in _find_at_top(file, qualname) if isinstance(found, type)]


def find_functions(owner: Owner) -> list[Any]:
    """The objects of an owner in its imported file, also static and class methods and the results of decorators.

    Of several with one name, such as the stubs of an overload, it is the one at the owner's line.
    """
    internal = sys.modules.get("torch._jit_internal")
    of_functions = getattr(internal, "_overloaded_fns", {}).values()
    of_classes = getattr(internal, "_overloaded_methods", {}).values()
    of_methods = (stubs for by_class in of_classes for stubs in by_class.values())
    stubs = (stub for stubs in (*of_functions, *of_methods) for stub in stubs)
    place = (owner.file, owner.line)
    stub = next((s for s in stubs if (s.__code__.co_filename, s.__code__.co_firstlineno) == place), None)
    return find_named(owner.file, owner.qualname) if stub is None else [stub]


def live_annotation(type_: TypeExpr) -> Any:
    """A legal type as the object that a class body would hold."""
    args = tuple(map(live_annotation, type_.args))
    name = type_.name
    if name in LIVE_GENERICS:
        return LIVE_GENERICS[name][args[0] if name in ("Optional", "Final") else args]
    known = BARE.get(name) or (made.made_class if made.is_made(name) else _look_up)(name)
    if known is None and name.startswith("torch."):  # its own module is written in C
        return look_up(sys.modules["torch"], name.removeprefix("torch."))
    return known or getattr(builtins, name)


def _describe(cls: type, in_memory: bool) -> ClassInfo:
    if issubclass(cls, enum.Enum):
        kind = ClassKind.ENUM
    elif issubclass(cls, tuple) and isinstance(look_up(cls, "_fields"), tuple):
        kind = ClassKind.NAMEDTUPLE
    elif look_up(cls, "__dataclass_fields__") is not None:
        kind = ClassKind.DATACLASS
    else:
        kind = ClassKind.MODULE if class_type(cls).inherits(MODULE) else ClassKind.PLAIN
    state = sys.modules.get("torch.jit._state")
    try:
        scripted = state is not None and state._get_script_class(cls) is not None
    except Exception:  # the metaclass of the user's may raise
        scripted = False
    return ClassInfo(
        name=class_name(cls),
        module=module_of_class(cls),
        qualname=qualname_of(cls),
        kind=kind,
        file=file_of_class(cls) or None,
        fields=tuple(_fields(cls, kind)),
        bases=tuple(class_name(base) for base in cls.__mro__[1:-1]),
        importable=_look_up(class_name(cls)) is cls or (in_memory and made.is_made(qualname_of(cls))),
        scripted=scripted,
    )


def _fields(cls: Any, kind: ClassKind) -> Iterable[tuple[str, TypeExpr | None]]:
    if kind is ClassKind.ENUM:
        return [(name, class_type(type(member._value_))) for name, member in cls.__members__.items()]
    if kind not in (ClassKind.NAMEDTUPLE, ClassKind.DATACLASS):
        return []
    try:
        hints = typing.get_type_hints(cls)
    except Exception:  # an annotation that does not evaluate; it may use a lazy module that fails to import
        hints = {}
    names = cls._fields if kind is ClassKind.NAMEDTUPLE else [field.name for field in dataclasses.fields(cls)]
    return [(name, read_hint(hints[name]) if name in hints else None) for name in names]


def read_hint(hint: Any) -> TypeExpr | None:
    """A live annotation as a `TypeExpr`; None if it has no such form."""
    if hint is Any:  # since Python 3.11 a class like any other
        return TypeExpr("Any")
    if isinstance(hint, type) and not typing.get_args(hint):
        return class_type(hint)
    name = GENERICS.get(typing.get_origin(hint))
    args = [read_hint(arg) for arg in typing.get_args(hint) if arg != ()]
    if name is None or None in args:
        return None
    return TypeExpr(name, tuple(arg for arg in args if arg))
