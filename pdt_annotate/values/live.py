"""Looking at live objects without running the user's code.

A lazy module imports its real module on any attribute access, and may raise any exception while it does; a class may
say anything in its `__module__`. So these functions read an object's content without its class's own hooks.
"""

import inspect
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any

METHODS = (staticmethod, classmethod, MethodType)
FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)

_inspect: Any = inspect
_LAZILY = {"format": _inspect.Format.FORWARDREF} if sys.version_info >= (3, 14) else {}
_module_of: Any = type.__dict__["__module__"]
_qualname_of: Any = type.__dict__["__qualname__"]


def state_of(value: Any) -> dict[str, Any]:
    """The object's own attributes by name; empty if it has slots instead."""
    try:
        state = object.__getattribute__(value, "__dict__")
    except Exception:  # its class may define `__dict__` as a property, which may raise anything
        return {}
    return state if is_a(state, dict, MappingProxyType) else {}


def file_of(module: str) -> str:
    """The file of an imported module, by its dotted name; "" if it has none."""
    file = state_of(sys.modules.get(module)).get("__file__")
    return file if isinstance(file, str) else ""


def module_of_class(cls: type) -> str:
    """The dotted name of the module of a class; "" if the class names none."""
    try:
        module = _module_of.__get__(cls)
    except AttributeError:  # the class was made while no module was running
        return ""
    return module if isinstance(module, str) else ""


def full_name(cls: type) -> str:
    """The module and the qualified name of a class: "builtins.int"."""
    return f"{module_of_class(cls)}.{qualname_of(cls)}"


def own_annotations(cls: type) -> dict[str, Any]:
    """A copy of the annotations in the body of a class, without the annotations of its bases.

    From Python 3.14 on they are evaluated on access: a name that is not defined yet is then a `ForwardRef`.
    """
    return inspect.get_annotations(cls, **_LAZILY)


def codes_of(cls: type) -> Iterator[CodeType]:
    functions = filter(None, (function_of(value) for value in vars(cls).values() if is_a(value, FunctionType)))
    prefix = f"{qualname_of(cls)}."
    return (function.__code__ for function in functions if function.__code__.co_qualname.startswith(prefix))


def qualname_of(value: Any) -> str:
    """The qualified name of a class or function; for another object, that of its class."""
    if is_a(value, *FUNCTIONS):
        return str(value.__qualname__)
    return str(_qualname_of.__get__(value if is_a(value, type) else type(value)))


def is_a(value: Any, *classes: type) -> bool:
    """`isinstance`, except that it ignores the object's own `__class__`."""
    return issubclass(type(value), classes)


def function_of(value: Any) -> FunctionType | None:
    """The function inside methods of any kind and inside wrappers that set `__wrapped__`, such as `functools.wraps`."""
    met: set[int] = set()
    while id(value) not in met:
        met.add(id(value))
        value = value.__func__ if is_a(value, *METHODS) else state_of(value).get("__wrapped__", value)
    return value if is_a(value, FunctionType) else None
