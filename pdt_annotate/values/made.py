"""Classes and functions that were made inside functions: no dotted name leads to them from a module.

They are found through the contents, closures and names of live objects. A class that is not found so is looked up among
all live classes. If one statement made several, the newest comes last.

Import statements can import such a class from here, by its `import_name`. No such import is ever written into a file:
they make the class visible to a compiler that reads functions in memory.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import FunctionType, MethodType
from typing import Any, TypeVar

from pdt_annotate.values import live
from pdt_annotate.values.live import function_of, is_a, qualname_of, state_of
from pdt_annotate.values.runs import Call

T = TypeVar("T")
LOCALS = "<locals>"
LOOKS = 20_000  # the most values to look at
ITEMS = 1_000  # the most elements of one container
PLAIN = (bool, int, float, complex, str, bytes, type(None))

_roots: list[Any] = []
_reached: list[Any] = []


def is_made(qualname: str) -> bool:
    """Whether a qualified name belongs to something that was made inside a function."""
    return LOCALS in qualname


def reach_from(*values: Any) -> Callable[[], None]:
    """Look for classes and functions also in all that these objects reach, until the returned function is called."""
    before = list(_roots)
    _set_roots([*before, *values])
    return lambda: _set_roots(before)


def _set_roots(values: list[Any]) -> None:
    _roots[:] = values
    _reached.clear()


def made_classes(file: str, qualname: str) -> list[type]:
    """The classes of a qualified name that functions of a file made: the reached ones, or all if none is reached."""
    return _find(lambda cls: qualname_of(cls) == qualname and _file_of(cls) == file)


def reached(kind: type[T], file: str, qualname: str) -> list[T]:
    """The classes or functions of a name in a file that the roots reach, even if the name now means another object."""
    found = (each for each in _reach() if is_a(each, kind))
    return [each for each in found if qualname_of(each) == qualname and _file_of(each) == file]


def made_class(dotted: str) -> type | None:
    """The newest class of a dotted name that was made inside a function."""
    return next(reversed(_find(lambda cls: live.full_name(cls) == dotted)), None)


def import_name(dotted: str) -> str:
    """The name by which such a class can be imported from this module."""
    return re.sub(r"\W+", "_", dotted)


def __getattr__(name: str) -> type:
    found = _find(lambda cls: import_name(live.full_name(cls)) == name) if "_locals_" in name else []
    if not found:
        raise AttributeError(f"no class made in a function has the name {name!r}")
    return found[-1]


def all_classes() -> list[type]:
    """Every live class; the subclasses of one class are in the order of their creation.

    Classes are compared by identity, because a metaclass may define equality and hashes as it likes.
    """
    met: dict[int, type] = {}
    pending: list[type] = [object]
    for cls in pending:
        children: list[type] = type.__subclasses__(cls)
        new = {id(child): child for child in children if id(child) not in met}
        met.update(new)
        pending += new.values()
    return list(met.values())


def _find(is_wanted: Callable[[type], bool]) -> list[type]:
    for classes in ((each for each in _reach() if is_a(each, type)), all_classes()):
        found = [cls for cls in classes if is_made(qualname_of(cls)) and is_wanted(cls)]
        if found:
            return found
    return []


def _reach() -> list[Any]:
    if not _reached and _roots:
        _reached.extend(_walk(_roots, set(map(_file_of, _roots))))
    return _reached


def _file_of(value: Any) -> str:
    if (function := function_of(value)) is not None:
        return function.__code__.co_filename
    cls = value if is_a(value, type) else type(value)
    module = live.module_of_class(cls)
    code = next(live.codes_of(cls), None) if module == "__main__" else None  # a session has many files
    return live.file_of(module) if code is None else code.co_filename


def _walk(roots: Iterable[Any], files: set[str]) -> Iterator[Any]:
    pending, met = list(roots), dict[int, Any]()
    while pending and len(met) < LOOKS:
        value = pending.pop()
        if id(value) in met or type(value) in PLAIN:
            continue
        met[id(value)] = value
        function = function_of(value)
        if function is None and not is_a(value, type):
            pending += [type(value), *_held_by(value, files)]
        elif _is_own(value if function is None else function, files):
            yield value if function is None else function
            pending += (*vars(value).values(), *value.__mro__[1:-1]) if function is None else _named_in(function)
        if is_a(value, MethodType):
            pending.append(value.__self__)


def _is_own(value: Any, files: set[str]) -> bool:
    return is_made(qualname_of(value)) or _file_of(value) in files


def _held_by(value: Any, files: set[str]) -> Iterable[Any]:
    """The elements of a container, or the attributes of a module, a call or an object whose class is searched."""
    if is_a(value, dict):
        return (each for pair in islice(dict.items(value), ITEMS) for each in pair)
    for base in (list, tuple):
        if is_a(value, base):
            return islice(base.__iter__(value), ITEMS)
    state = state_of(value)
    is_open = "_modules" in state or is_a(value, Call) or _is_own(type(value), files)
    return state.values() if is_open else ()


def _named_in(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a name without a value yet
            yield cell.cell_contents
    known = function.__globals__
    named = (known[name] for name in function.__code__.co_names if name in known)
    yield from (value for value in named if is_a(value, type) or function_of(value) is not None)
