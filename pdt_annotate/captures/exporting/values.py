"""Live values as plain data, and as Python."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from pdt_annotate.captures.exporting.sizes import spelled_path
from pdt_annotate.inputs.load import own_name
from pdt_annotate.processes.child.probes.spelling import python
from pdt_annotate.processes.child.probes.tree import SHORT, Fill, is_drawable, like
from pdt_annotate.values.exports import ConstantSeen, FileImport, NestSeen, NumberSeen, Seen, TensorSeen, Where
from pdt_annotate.values.exports import Path as Way
from pdt_annotate.values.live import file_of, is_a, module_of_class, qualname_of

NESTS = (list, tuple, dict)
TAKEN = (bool, float, str, type(None))
"""Constants that torch.export takes as arguments."""

PLAIN = (bool, float, complex, str, type(None), enum.Enum, torch.Size, torch.device, torch.dtype)


class UnsayableError(Exception):
    """No file can say a value; the message says which, and what it is."""


def see(path: Way, value: Any) -> Seen:
    """What a value is, as far as an export goes.

    Raises:
        UnsayableError: no file can say it.
    """
    if is_a(value, torch.Tensor):
        return _see_tensor(path, value)
    if is_nest(value):
        return _see_nest(path, value)
    if type(value) is int:
        return NumberSeen(value)
    if is_a(value, *PLAIN):
        return ConstantSeen(python(value), not is_a(value, *TAKEN))
    raise _unsayable(path, f"an object of type {qualname_of(value)!r}")


def is_nest(value: Any) -> bool:
    """Whether a value is a container that torch.export looks into, of a class that a file can say."""
    return type(value) in NESTS or (is_a(value, tuple) and hasattr(type(value), "_fields"))


def _unsayable(path: Way, what: str) -> UnsayableError:
    return UnsayableError(f"`{spelled_path(path)}` is {what}, which the file cannot say")


def _see_tensor(path: Way, tensor: torch.Tensor) -> Seen:
    if not is_drawable(tensor) and type(tensor) is not torch.nn.Parameter:
        raise _unsayable(path, f"a tensor of type {qualname_of(tensor)!r} and layout {tensor.layout}")
    device = "" if tensor.device.type == "cpu" else f" on {tensor.device}"
    return TensorSeen(tuple(tensor.shape), f"{tensor.dtype} tensor{device}")


def _see_nest(path: Way, value: Any) -> Seen:
    items = dict(items_of(value))
    kind = type(value).__name__ if type(value) in NESTS else qualname_of(value)
    if not all(is_a(key, str, int) for key in items):
        raise _unsayable(path, "a dict whose keys are neither str nor int")
    return NestSeen(kind, tuple(items), tuple(see((*path, key), part) for key, part in items.items()))


def items_of(nest: Any) -> Iterator[tuple[Any, Any]]:
    """What a container holds, by key, index or ".field"."""
    if is_a(nest, dict):
        return iter(nest.items())
    return (
        zip((f".{name}" for name in nest._fields), nest, strict=True) if hasattr(nest, "_fields") else enumerate(nest)
    )


def rebuilt(nest: Any, parts: list[Any]) -> Any:
    """The container with other parts."""
    if is_a(nest, dict):
        return dict(zip(nest, parts, strict=True))
    return type(nest)(*parts) if hasattr(nest, "_fields") else type(nest)(parts)


def mapped(function: Callable[[Way, Any], Any], path: Way, value: Any) -> Any:
    """A value with a function applied to all that is no container."""
    if not is_nest(value):
        return function(path, value)
    return rebuilt(value, [mapped(function, (*path, key), part) for key, part in items_of(value)])


def spell(path: Way, value: Any, instead: Mapping[Where, int]) -> str:
    """An expression for a value like this one: what indexes or tells something stays, noise is drawn.

    Args:
        instead: other sizes and ints, by where they are.
    """
    return python(mapped(lambda path, leaf: _like(path, leaf, instead), path, value))


def draw(path: Way, value: Any, sizes: Mapping[Where, int]) -> Any:
    """A value like this one, with tensors of other sizes."""
    return mapped(lambda path, leaf: _drawn(leaf, _like(path, leaf, sizes)), path, value)


def _drawn(leaf: Any, like: Any) -> Any:
    if not is_a(like, Fill):
        return like
    return leaf if like.shape == tuple(leaf.shape) else like.make(leaf.device)


def _like(path: Way, leaf: Any, instead: Mapping[Where, int]) -> Any:
    if not is_a(leaf, torch.Tensor):
        return instead.get(path, leaf)
    shape = tuple(instead.get((path, axis), size) for axis, size in enumerate(leaf.shape))
    plain = leaf.detach() if is_a(leaf, torch.nn.Parameter) else leaf
    is_told = not (leaf.is_floating_point() or leaf.is_complex()) and 0 < leaf.numel() <= SHORT
    return plain if is_told and shape == tuple(leaf.shape) else _filled(plain, shape)


def _filled(tensor: torch.Tensor, shape: tuple[int, ...]) -> Fill:
    """The like of a tensor; one of a single value stays so."""
    fill = like(tensor, shape, None)
    whole = {0: "zeros", 1: "ones"}.get(fill.low, "") if fill.how == "randint" and fill.low == fill.high else ""
    return Fill(shape, fill.dtype, whole, requires_grad=fill.requires_grad) if whole else fill


def imports_of(value: Any) -> Iterator[FileImport]:
    """What has to be imported for the classes in a value."""
    if is_a(value, enum.Enum) or (is_nest(value) and type(value) not in NESTS):
        yield import_of(module_of_class(type(value)), qualname_of(value))
    for _, part in items_of(value) if is_nest(value) else ():
        yield from imports_of(part)


def import_of(module: str, qualname: str = "") -> FileImport:
    """The import of a module, or of something at its top; with its file, where no import statement finds it."""
    file = file_of(module)
    return FileImport(module, qualname.partition(".")[0], file if file and module == own_name(Path(file)) else "")
