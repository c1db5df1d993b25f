"""The arguments and results of a call, separated into tensors, which a trace takes, and the rest, which it keeps."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.values.errors import TraceError
from pdt_annotate.values.live import state_of
from pdt_annotate.verify.judges.clones import is_opaque, is_size, leaves_of

REGISTER = "register its class with register_dataclass or register_pytree_node of torch.utils._pytree"
SCALARS = (bool, int, float, str)
ONE_TYPE = "all values in a TorchScript list or dict have the same type; return a tuple instead"


@dataclass(frozen=True)
class Flattened:
    """Values by name, flattened."""

    leaves: Mapping[str, Any]  # the values that hold no others by path, such as "options['mode']"; None for a tensor
    tensors: tuple[str, ...]  # the paths of the tensors
    shape: Any  # how pytree puts the values together

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Flattened":
        """Flatten values; raises `TraceError` if an object that pytree does not know holds tensors."""
        found = list(leaves_of(values))
        for path, leaf in found:
            held = pytree.tree_leaves(list(state_of(leaf).values())) if is_opaque(leaf) else []
            if any(map(is_tensor, held)):
                kind = type(leaf).__qualname__
                message = f"{path} is a {kind} that contains tensors, which torch.jit.trace does not find"
                raise TraceError(message, hint=REGISTER)
        tensors = tuple(path for path, leaf in found if is_tensor(leaf))
        leaves = {path: None if is_tensor(leaf) else leaf for path, leaf in found}
        return cls(leaves, tensors, pytree.tree_structure(dict(values), is_leaf=is_size))

    @property
    def others(self) -> dict[str, Any]:
        """All values but the tensors, by path."""
        return {path: leaf for path, leaf in self.leaves.items() if path not in self.tensors}

    def difference(self, other: "Flattened") -> str:
        """The first value that another call has differently, in words, without tensors; "" if they are the same."""
        for path in (*other.leaves, *self.leaves):
            if path not in other.leaves:
                return f"{path} is not passed"
            if path not in self.leaves:
                return f"{path} is {other._word(path)}, but was not passed"
            if self._word(path) != other._word(path) or not _is_same(self.leaves[path], other.leaves[path]):
                return f"{path} is {other._word(path)}, not {self._word(path)}"
        return "" if self.shape == other.shape else "its containers have other classes or another order"

    def _word(self, path: str) -> str:
        return "a tensor" if path in self.tensors else repr(self.leaves[path])


def put_together(flat: Flattened, tensors: Sequence[Any]) -> Any:
    left = iter(tensors)
    leaves = [next(left) if path in flat.tensors else leaf for path, leaf in flat.leaves.items()]
    return pytree.tree_unflatten(leaves, flat.shape)


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def arguments_of(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """The arguments of a call by parameter, with defaults; raises `TypeError` if they do not fit."""
    signature = signature_of(function)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            bound.arguments[name] = dict(sorted(bound.arguments[name].items()))
    return bound


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function, or of the `forward` of a module."""
    try:
        return inspect.signature(function.forward if isinstance(function, torch.nn.Module) else function)
    except ValueError:  # the signature of a built-in is unknown
        return inspect.signature(lambda *args, **kwargs: None)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values that are no tensors are the same to a program; objects with no `==`, if they are identical."""
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(one == other or (one != one and other != other))
    except Exception:  # a comparison of the user's, or one that has many answers
        return False


@dataclass(frozen=True)
class Expressed:
    """An expression in the place of a value, and its type."""

    text: str
    type: str = "Tensor"


def spell(value: Any, where: str) -> str:
    """The expression that makes a value; raises `TraceError` if TorchScript has none."""
    if isinstance(value, Expressed):
        return value.text
    if value is None or type(value) in SCALARS:
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {spell(each, where)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(spell(each, where) for each in value) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(f"{spell(each, where)}, " for each in value) + ")"
    raise TraceError(f"{where} contains a {type(value).__qualname__}, which TorchScript cannot construct")


def type_of(value: Any, where: str) -> str:
    """The type of a value, as TorchScript spells it; raises `TraceError` if it has none."""
    if isinstance(value, Expressed):
        return value.type
    if value is None or is_tensor(value):
        return "None" if value is None else "Tensor"
    if type(value) in SCALARS:
        return type(value).__name__
    if isinstance(value, dict) and value:
        return f"Dict[{_only(value, where)}, {_only(value.values(), where)}]"
    if isinstance(value, list) and value:
        return f"List[{_only(value, where)}]"
    if isinstance(value, tuple) and value:
        return f"Tuple[{', '.join(type_of(each, where) for each in value)}]"
    said = f"an empty {type(value).__name__}" if value in ({}, [], ()) else f"a {type(value).__qualname__}"
    raise TraceError(f"{where} contains {said}, for which TorchScript has no type")


def _only(values: Iterable[Any], where: str) -> str:
    types = sorted({type_of(each, where) for each in values})
    if len(types) > 1:
        raise TraceError(f"{where} contains both {' and '.join(types)}", hint=ONE_TYPE)
    return types[0]
