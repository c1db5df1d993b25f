"""A live value → the `TypeExpr` of what it is, without running a line of the user's code.

Only `type(value)` and the C iterators of the built-in containers are used: a user's `__class__`, `__len__`, `__iter__`
or `__eq__` is never called, and nothing is kept of a value but the names of its classes.
"""

from __future__ import annotations

import collections
import functools
import itertools
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pdt_annotate.ir import NONE, TypeExpr, union

T = TypeVar("T")

BOUND = 1_000  # elements of a container that are walked where they are not all of one leaf class
DEPTH = 12  # containers within containers

CALLABLES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    functools.partial,
)

ELEMENT_READERS: dict[type, Callable[[Any], Iterable[Any]]] = {
    list: list.__iter__,
    set: set.__iter__,
    frozenset: frozenset.__iter__,
    collections.deque: collections.deque.__iter__,
}
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict)


class _ByClass(dict[type, T]):
    """A function of a class, computed once for each: cheaper than any decorator in code that runs on every call."""

    def __init__(self, compute: Callable[[type], T]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, cls: type) -> T:
        value = self[cls] = self._compute(cls)
        return value


def class_name(cls: type) -> str:
    """The dotted name of a class; builtins are bare."""
    if cls is type(None):
        return "None"
    module, qualname = cls.__module__, cls.__qualname__
    return qualname if module == "builtins" else f"{module}.{qualname}"


def _class_type(cls: type) -> TypeExpr:
    if cls is type(None):
        return NONE
    if cls in CALLABLES:
        return TypeExpr("Callable")
    if issubclass(cls, type):
        return TypeExpr("type")
    if cls.__module__ == "builtins":
        return TypeExpr(cls.__qualname__)
    return TypeExpr(class_name(cls), (), tuple(class_name(base) for base in type.mro(cls)[1:-1]))


def _is_leaf(cls: type) -> bool:
    if cls.__module__ == "torch" and cls.__name__ == "Size":
        return True
    return not issubclass(cls, (list, tuple, dict, set, frozenset, collections.deque)) and not _is_future(cls)


def _is_future(cls: type) -> bool:
    return class_name(cls) in ("torch.futures.Future", "torch._C.Future")


class_type: Callable[[type], TypeExpr] = _ByClass(_class_type).__getitem__
"""The type of an instance of a class that holds nothing worth looking into."""

is_leaf: Callable[[type], bool] = _ByClass(_is_leaf).__getitem__
"""Whether the class alone tells the type: no built-in container, no subclass of one."""


def type_of(value: Any, depth: int = DEPTH) -> TypeExpr:
    """The type of a value, containers with the types of what is in them."""
    cls = type(value)
    if is_leaf(cls):
        return class_type(cls)
    if depth == 0:
        return TypeExpr("Any")
    if issubclass(cls, tuple):
        items = tuple(type_of(item, depth - 1) for item in itertools.islice(tuple.__iter__(value), BOUND))
        return TypeExpr("tuple", items) if cls is tuple else _with_args(cls, items)
    if issubclass(cls, dict):
        return _mapping_type(cls, value, depth)
    for base, read in ELEMENT_READERS.items():
        if issubclass(cls, base):
            element = _join(functools.partial(read, value), depth)
            return _with_args(cls, () if element is None else (element,))
    return _with_args(cls, (type_of(value.value(), depth - 1),)) if value.done() else class_type(cls)


def _with_args(cls: type, args: tuple[TypeExpr, ...]) -> TypeExpr:
    plain = class_type(cls)
    return TypeExpr(plain.name, args, plain.bases)


def _mapping_type(cls: type, value: dict[Any, Any], depth: int) -> TypeExpr:
    key = _join(functools.partial(dict.keys, value), depth)
    item = _join(functools.partial(dict.values, value), depth)
    args = () if key is None or item is None else (key, item)
    return _with_args(cls if cls in MAPPINGS else dict, args)


def _join(elements: Callable[[], Iterable[Any]], depth: int) -> TypeExpr | None:
    """The union of the elements' types; None where there are none. One pass in C where all are leaves."""
    classes = dict.fromkeys(map(type, elements()))
    if not classes:
        return None
    if all(map(is_leaf, classes)):
        return union(*map(class_type, classes))
    walked = itertools.islice(elements(), BOUND)
    # A class that first turns up behind the bound is still seen, by its class if not by its contents.
    late = (class_type(cls) for cls in classes if is_leaf(cls))
    return union(*dict.fromkeys(itertools.chain((type_of(e, depth - 1) for e in walked), late)))
