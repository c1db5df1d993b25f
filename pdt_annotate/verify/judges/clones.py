"""Copies of example arguments, so that every call starts from the same values; and the result of one call."""

import copy
import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.live import is_a, state_of

# Objects with an identity that a copy would lose.
SHARED = (type, enum.Enum, torch.nn.Module, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


def clone(value: Any) -> Any:
    """A copy of example arguments that a call may spoil; objects of the user's are copied if they allow it."""
    return pytree.tree_map(_clone_leaf, value, is_leaf=is_size)


def rebuild(value: Any) -> Any:
    """The same leaves in new containers, which no call changes."""
    return pytree.tree_map(lambda leaf: leaf, value, is_leaf=is_size)


def is_size(value: Any) -> bool:
    """Whether a value is a torch.Size, which pytree would make a plain tuple of."""
    return type(value) is torch.Size


def is_opaque(value: Any) -> bool:
    """Whether a leaf is an object that holds others, which a call may change."""
    return not is_a(value, torch.Tensor, torch.Generator, *SHARED) and bool(state_of(value))


def _clone_leaf(value: Any) -> Any:
    if is_a(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if is_a(value, torch.Generator):
        return value.clone_state()
    if not is_opaque(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # a lock, the result of an operation, or an object whose `__deepcopy__` raises
        return value


@dataclass(frozen=True)
class Done:
    passed: Mapping[str, Any]  # the arguments by their names in messages, as the call has left them
    before: Mapping[str, Any]  # the same leaves in the containers from before the call
    answer: Any = None
    error: Exception | None = None


def leaves_of(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The leaves of the values, each with its path."""
    for where, value in values.items():
        try:
            pairs = pytree.tree_flatten_with_path(value, is_leaf=is_size)[0]
        except ValueError:  # a class that is registered without names for its parts, as the outputs of transformers
            leaves = pytree.tree_leaves(value, is_leaf=is_size)
            pairs = [((pytree.SequenceKey(index),), leaf) for index, leaf in enumerate(leaves)]
        yield from ((f"{where}{pytree.keystr(path)}", leaf) for path, leaf in pairs)


CONSTRUCT = "forward"  # the method of a call that names no method


class Objects:
    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.last: Any = None

    def run(self, method: str) -> Callable[..., Any]:
        """The function that a call runs; instead of None it returns the attributes. Raises SpecError without object."""
        if method != CONSTRUCT and self.last is None:
            hint = "begin with a call that has the arguments of the constructor; later calls set `method`"
            raise SpecError(f"no example call constructs a {self.cls.__qualname__} to call {method!r} of", hint=hint)

        def call(*args: Any, **kwargs: Any) -> Any:
            result = self._run(method, args, kwargs)
            return self.attributes() if result is None else result

        return call

    def _run(self, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if method != CONSTRUCT:
            return getattr(self.last, method)(*args, **kwargs)
        self.last = self.cls(*args, **kwargs)
        return None

    def attributes(self) -> dict[str, Any]:
        return dict(getattr(self.last, "__dict__", {}))


class ScriptedObjects(Objects):
    """Objects of a compiled class; the eager objects name the attributes.

    `type` is None if the compiler knows values of the class but cannot construct one, as for an Enum.
    """

    def __init__(self, cls: type, eager: Objects) -> None:
        super().__init__(cls)
        self.eager = eager
        self.type: Any = torch.jit._state._get_script_class(cls)

    def _run(self, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if method != CONSTRUCT:
            return self.last._get_method(method)(*args, **kwargs)
        new: Any = torch._C._create_object_with_type(self.type)
        new._get_method("__init__")(*args, **kwargs)
        self.last = new
        return None

    def attributes(self) -> dict[str, Any]:
        return {name: self.last.getattr(name) for name in self.eager.attributes() if self.last.hasattr(name)}
