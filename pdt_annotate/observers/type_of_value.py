"""A live value → its `TypeExpr`, without running a line of the user's code.

Only `type(value)` and the C iterators of the built-in containers are used: a user's `__class__`, `__len__`, `__iter__`
or `__eq__` is never called, and of a value only its class is kept.
"""

import collections
import functools
import itertools
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pdt_annotate.values.live import full_name, module_of_class
from pdt_annotate.values.types import TypeExpr, union

T = TypeVar("T")

BOUND = 1_000  # elements of a container that are looked at one by one if they are not all of leaf classes
LOOKS = 4 * BOUND  # containers that are looked into for one value
DEPTH = 12  # containers within containers

CALLABLES = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial),
    *(types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType),
)

ELEMENT_READERS: dict[type, Callable[[Any], Iterable[Any]]] = {
    list: list.__iter__,
    set: set.__iter__,
    frozenset: frozenset.__iter__,
    collections.deque: collections.deque.__iter__,
}
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict)

# The class that torch documents as torch.futures.Future calls itself by another name, and so does its C++ base.
FUTURE = "torch.futures.Future"
NATIVE_FUTURES = ("torch.Future", "torch._C.Future")


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
    return "None" if cls is type(None) else full_name(cls).removeprefix("builtins.")


def _class_type(cls: type) -> TypeExpr:
    if cls in CALLABLES:
        return TypeExpr("Callable")
    if issubclass(cls, type):
        return TypeExpr("type")
    if module_of_class(cls) == "builtins":
        return TypeExpr(class_name(cls))
    return TypeExpr(FUTURE if _native_future(cls) else class_name(cls), (), tuple(map(class_name, cls.__mro__[1:-1])))


def _native_future(cls: type) -> Any:
    """torch's own base class of a Future, with methods that no subclass has replaced; None for another class."""
    return next((base for base in cls.__mro__ if class_name(base) in NATIVE_FUTURES), None)


def _is_leaf(cls: type) -> bool:
    if class_name(cls) == "torch.Size":
        return True
    return not (issubclass(cls, (list, tuple, dict, set, frozenset, collections.deque)) or _native_future(cls))


# The type of an instance of a class that holds nothing worth looking into.
class_type: Callable[[type], TypeExpr] = _ByClass(_class_type).__getitem__
is_leaf: Callable[[type], bool] = _ByClass(_is_leaf).__getitem__
"""Whether the class alone shows the type: no built-in container, no subclass of one."""


def type_of(value: Any) -> TypeExpr:
    """The type of a value, containers with the types of their elements."""
    cls = type(value)
    return class_type(cls) if is_leaf(cls) else _Walk().type_of(value, DEPTH)


def elements(value: Any) -> Iterable[Any]:
    """The first elements of a container, or values of a mapping; none of anything else."""
    readers = {tuple: tuple.__iter__, dict: lambda held: iter(dict.values(held)), **ELEMENT_READERS}
    read = next((read for base, read in readers.items() if issubclass(type(value), base)), None)
    return [] if read is None else list(itertools.islice(read(value), BOUND))


def holds_empty(type_: TypeExpr) -> bool:
    """Whether a list, dict or the like in an observed type was empty, so that its elements may yet become known."""
    if type_.name == "tuple" or type_.args:
        return any(map(holds_empty, type_.args))
    return type_.inherits("list", "dict", "set", "collections.deque")


@dataclass
class _Walk:
    """One look into a value. Past the bound a container has only its class, as an empty one does. A tuple, which would
    then be another type, is left out of the container that holds it, and is Any in another tuple."""

    left: int = LOOKS

    def type_of(self, value: Any, depth: int) -> TypeExpr:
        cls = type(value)
        if is_leaf(cls):
            return class_type(cls)
        self.left -= 1
        if depth == 0 or (self.left < 0 and issubclass(cls, tuple)):
            return TypeExpr("Any")
        args: tuple[TypeExpr, ...]
        if issubclass(cls, dict):
            key = self.join(functools.partial(dict.keys, value), depth - 1)
            item = self.join(functools.partial(dict.values, value), depth - 1)
            plain = class_type(cls if cls in MAPPINGS else dict)
            args = () if key is None or item is None else (key, item)
        else:
            plain, args = class_type(cls), self.element_types(cls, value, depth - 1)
        return TypeExpr(plain.name, args, plain.bases)

    def element_types(self, cls: type, value: Any, depth: int) -> tuple[TypeExpr, ...]:
        if issubclass(cls, tuple):
            items = tuple(itertools.islice(tuple.__iter__(value), BOUND))
            if all(map(is_leaf, map(type, items))):
                return tuple(map(class_type, map(type, items)))
            return tuple(self.type_of(item, depth) for item in items)
        for base, read in ELEMENT_READERS.items():
            if issubclass(cls, base):
                element = self.join(functools.partial(read, value), depth)
                return () if element is None else (element,)
        native = _native_future(cls)
        try:
            return (self.type_of(native.value(value), depth),) if native.done(value) else ()
        except Exception:  # the future holds an exception of the user's, and raises it
            return ()

    def join(self, elements: Callable[[], Iterable[Any]], depth: int) -> TypeExpr | None:
        """The union of the elements' types; None if there are no elements. One pass in C if all are leaves."""
        classes = dict.fromkeys(map(type, elements()))
        if not classes:
            return None
        if all(map(is_leaf, classes)):
            return union(*map(class_type, classes))
        # The elements before the bound, and the first element of each class that only comes later.
        chosen = list(itertools.islice(elements(), BOUND))
        met = set(map(type, chosen))
        chosen += [next(e for e in elements() if type(e) is cls) for cls in classes if cls not in met]
        types = (self.type_of(e, depth) for e in chosen if self.left > 0)
        found = dict.fromkeys(types) or dict.fromkeys(class_type(c) for c in classes if not issubclass(c, tuple))
        return union(*found) if found else None
