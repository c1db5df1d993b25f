"""Sizes among calls: which varied, which varied together, and what torch.export makes of a relation between two."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pdt_annotate.values.exports import Axis, CallSeen, NestSeen, NumberSeen, Path, Seen, TensorSeen, Where

BATCH = "batch"


@dataclass(frozen=True)
class Size:
    """A size in terms of a root that varies: `factor * root + offset`. Without a root it is the offset.

    >>> str(Size("x_1", 2, -1))
    '2 * x_1 - 1'
    """

    root: str
    factor: int = 1
    offset: int = 0

    def __str__(self) -> str:
        if not self.root:
            return str(self.offset)
        product = self.root if self.factor == 1 else f"{self.factor} * {self.root}"
        return product if not self.offset else f"{product} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"

    def of(self, inner: Size) -> Size:
        """The same in terms of what the root stands for itself."""
        return Size(inner.root, self.factor * inner.factor, self.factor * inner.offset + self.offset)

    def solve(self, size: int) -> int | None:
        """The root's value for a size; None where there is none."""
        value, left = divmod(size - self.offset, self.factor)
        return value if not left else None


@dataclass(frozen=True)
class Wishes:
    """What torch.export asked for.

    Args:
        fixed: axes, and paths of ints, that stay as they are in the example.
        sizes: by the name of a size, what it has to be.
        ranges: by name, the least and the greatest that it may be.
        apart: by number, calls that another program would serve, each with why.
        alone: sizes vary as in the calls that are served, whatever others showed.
    """

    fixed: frozenset[Where] = frozenset()
    sizes: Mapping[str, Size] = field(default_factory=dict)
    ranges: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    apart: Mapping[int, str] = field(default_factory=dict)
    alone: bool = False

    def resolve(self, name: str) -> Size:
        """What a name stands for, in terms of what nothing is asked of."""
        size, met = Size(name), {name}
        while size.root in self.sizes and (wanted := self.sizes[size.root]).root not in met:
            met.add(wanted.root)
            size = size.of(wanted)
        return size


def spelled_path(path: Path) -> str:
    """
    >>> spelled_path(("states", 0, "last", ".hidden"))
    "states[0]['last'].hidden"
    """
    return f"{path[0]}{''.join(map(_spelled_key, path[1:]))}"


def _spelled_key(key: str | int) -> str:
    return key if isinstance(key, str) and key.startswith(".") else f"[{key!r}]"


def leaves(arguments: Mapping[str, Seen]) -> dict[Path, Seen]:
    """What is in arguments and is no container, by path."""
    found: dict[Path, Seen] = {}
    for name, seen in arguments.items():
        _collect((name,), seen, found)
    return found


def _collect(path: Path, seen: Seen, found: dict[Path, Seen]) -> None:
    if isinstance(seen, NestSeen):
        for key, part in zip(seen.keys, seen.parts, strict=True):
            _collect((*path, key), part, found)
    else:
        found[path] = seen


def sizes_of(call: CallSeen) -> dict[Axis, int]:
    """Every size of every tensor."""
    tensors = {path: seen for path, seen in leaves(call.arguments).items() if isinstance(seen, TensorSeen)}
    return {(path, axis): size for path, seen in tensors.items() for axis, size in enumerate(seen.shape)}


def numbers_of(call: CallSeen) -> dict[Path, int]:
    """Every int."""
    return {path: seen.value for path, seen in leaves(call.arguments).items() if isinstance(seen, NumberSeen)}


def values_of(call: CallSeen) -> dict[Where, int]:
    """Every size and every int."""
    return dict[Where, int]((*sizes_of(call).items(), *numbers_of(call).items()))


def vary_together(columns: Mapping[Axis, Sequence[int]], fixed: Container[Where]) -> list[tuple[Axis, ...]]:
    """The axes that varied, those together that were equal in every call.

    Args:
        columns: the sizes of an axis, one for each call.
        fixed: axes that do not vary, whatever was seen.
    """
    groups: dict[tuple[int, ...], list[Axis]] = {}
    for axis, column in columns.items():
        if len(set(column)) > 1 and axis not in fixed:
            groups.setdefault(tuple(column), []).append(axis)
    return [tuple(group) for group in groups.values()]


def name_groups(
    groups: Iterable[tuple[Axis, ...]], columns: Iterable[Axis], taken: Container[str] = ()
) -> dict[str, tuple[Axis, ...]]:
    """The groups by what the file calls them: "batch" is the first size of all tensors, others go by their first axis.

    >>> name_groups([((("x",), 1), (("y", "k"), 0))], [])
    {'x_1': ((('x',), 1), (('y', 'k'), 0))}
    """
    first = {axis for axis in columns if axis[1] == 0}
    named = {}
    for group in groups:
        name = BATCH if first <= set(group) and first else _name(group[0])
        while name in named or name in taken:
            name += "_"
        named[name] = group
    return named


def _name(axis: Axis) -> str:
    path, index = axis
    return re.sub(r"\W", "_", "_".join(map(str, (*path, index))))


def roots_in(named: Mapping[str, tuple[Axis, ...]], sizes: Mapping[Axis, int], wishes: Wishes) -> dict[str, int] | None:
    """What the roots are in a call with these sizes; None where no value of theirs gives all of them."""
    roots: dict[str, int] = {}
    for name, group in named.items():
        size = wishes.resolve(name)
        for axis in group:
            value = size.solve(sizes[axis])
            if value is None or roots.setdefault(size.root, value) != value:
                return None
        low, high = wishes.ranges.get(name, (0, float("inf")))
        if not low <= sizes[group[0]] <= high:
            return None
    ranged = ((value, wishes.ranges.get(root, (0, float("inf")))) for root, value in roots.items())
    return roots if all(low <= value <= high for value, (low, high) in ranged) else None
