"""Classes and functions that were made inside functions: no dotted name leads to them from a module.

Classes are found among all that live, by file and qualified name; functions in the closures and the names of what is
reached from a live object. Of several that one statement made, the newest comes last.

Import statements find a class here too, by the name that `import_name` gives it. Nobody writes them into a file: they
bring the class under the eyes of a compiler that reads functions in memory.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from pdt_annotate.values.live import file_of, function_of, is_a, module_of_class, qualname_of, state_of

LOCALS = "<locals>"

_roots: list[Any] = []


def is_made(qualname: str) -> bool:
    """Whether the qualified name is of something that was made inside a function."""
    return LOCALS in qualname


def all_classes() -> list[type]:
    """Every class that lives; subclasses of one class stand in the order in which they were made."""
    met: dict[type, None] = {}
    pending: list[type] = [object]
    for cls in pending:
        children: list[type] = type.__subclasses__(cls)
        new = [child for child in children if child not in met]
        met.update(dict.fromkeys(new))
        pending += new
    return list(met)


def made_classes(file: str, qualname: str) -> list[type]:
    """The classes of a qualified name that functions of a file made."""
    named = (cls for cls in all_classes() if qualname_of(cls) == qualname)
    return [cls for cls in named if file_of(module_of_class(cls)) == file]


def made_class(dotted: str) -> type | None:
    """The newest class of a dotted name that a function made."""
    named = [cls for cls in all_classes() if is_made(qualname_of(cls)) and _dotted(cls) == dotted]
    return named[-1] if named else None


def import_name(dotted: str) -> str:
    """The name by which such a class is imported from this module."""
    return re.sub(r"\W+", "_", dotted)


def __getattr__(name: str) -> type:
    named = (cls for cls in all_classes() if is_made(qualname_of(cls)))
    found = [cls for cls in named if import_name(_dotted(cls)) == name]
    if not found:
        raise AttributeError(f"no class that a function made goes by the name of {name!r}")
    return found[-1]


def _dotted(cls: type) -> str:
    return f"{module_of_class(cls)}.{qualname_of(cls)}"


def reach_from(value: Any) -> Callable[[], None]:
    """Look for functions that functions made in what this object reaches.

    Returns:
        what ends that.
    """
    before = list(_roots)
    _roots.append(value)

    def end() -> None:
        _roots[:] = before

    return end


def made_functions(file: str, qualname: str) -> list[FunctionType]:
    """The functions of a qualified name that functions of a file made, as far as they are reached."""
    return [each for each in _reach(file) if each.__qualname__ == qualname and each.__code__.co_filename == file]


def _reach(file: str) -> list[FunctionType]:
    """The functions in a file, or made in one, that the known objects come to; whatever is met is entered once."""
    functions: dict[int, FunctionType] = {}
    pending, met = list(_roots), {}
    while pending:
        value = pending.pop()
        if id(value) in met:
            continue
        met[id(value)] = value
        function = function_of(value)
        if function is not None and (function.__code__.co_filename == file or is_made(function.__qualname__)):
            functions[id(function)] = function
            pending += _named_in(function)
        elif is_a(value, type) and (file_of(module_of_class(value)) == file or is_made(qualname_of(value))):
            pending += [*vars(value).values(), *value.__mro__[1:-1]]
        elif is_a(value, MethodType):
            pending.append(value.__self__)
        elif function is None and not is_a(value, type):
            pending += [type(value), *_held_by(value)]
    return list(functions.values())


def _named_in(function: FunctionType) -> Iterator[Any]:
    """What a function closes over, and what the module-level names in its code stand for."""
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a name that has no value yet
            yield cell.cell_contents
    known = function.__globals__
    named = (known[name] for name in function.__code__.co_names if name in known)
    yield from (value for value in named if is_a(value, type) or function_of(value) is not None)


def _held_by(value: Any) -> Iterator[Any]:
    """The submodules and the functions that an object holds."""
    state = state_of(value)
    yield from (held for held in state.values() if function_of(held) is not None)
    modules = state.get("_modules")
    yield from modules.values() if isinstance(modules, dict) else ()
