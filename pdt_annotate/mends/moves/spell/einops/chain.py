"""Calls of a tensor's methods in turn, and the dimension of each axis between them."""

import itertools
import re
from collections.abc import Iterable, Sequence

ELLIPSIS = "..."


class Chain:
    """The calls so far.

    Args:
        axes: the dimensions of the tensor, each an axis or several joined axes. One may be the ellipsis, which is any
            number of dimensions: those before it are counted from the front, those after it from the back.
    """

    def __init__(self, axes: Iterable[str]) -> None:
        self.axes = list(axes)
        self.calls: list[str] = []

    def dim(self, axis: str) -> int:
        return _dim(self.axes, axis)

    def squeeze(self, axes: Sequence[str]) -> None:
        """Removes axes of size 1."""
        if axes:
            self.calls.append(f".squeeze({_one_or_more(map(self.dim, axes))})")
            self.axes = [axis for axis in self.axes if axis not in axes]

    def unflatten(self, axis: str, parts: Sequence[str], sizes: Sequence[str]) -> None:
        self.calls.append(f".unflatten({self.dim(axis)}, {_tuple(sizes)})")
        at = self.axes.index(axis)
        self.axes[at : at + 1] = parts

    def permute(self, axes: Sequence[str]) -> None:
        """Puts the axes in this order. If the rank is known, the call refuses other ranks, as einops does."""
        if axes == self.axes:
            return
        swapped = [axis for axis, other in zip(self.axes, axes, strict=True) if axis != other]
        if ELLIPSIS not in axes:
            self.calls.append(f".permute({', '.join(str(self.axes.index(axis)) for axis in axes)})")
        elif len(swapped) == 2 and ELLIPSIS not in swapped:
            self.calls.append(f".transpose({', '.join(str(self.dim(axis)) for axis in swapped)})")
        else:
            named = [axis for axis in self.axes if axis != ELLIPSIS]
            few_first = (some for n in range(1, len(named) + 1) for some in itertools.combinations(named, n))
            moved = next(moved for moved in few_first if _without(self.axes, moved) == _without(axes, moved))
            sources = _one_or_more(map(self.dim, moved))
            self.calls.append(f".movedim({sources}, {_one_or_more(_dim(axes, axis) for axis in moved)})")
        self.axes = list(axes)

    def reduce(self, reduction: str, axes: Sequence[str], *, keepdim: bool) -> None:
        kept = ", keepdim=True" if keepdim else ""
        if reduction in ("prod", "any", "all"):  # One at a time, the last first, as einops does.
            for axis in reversed(axes):
                self.calls.append(f".{reduction}(dim={self.dim(axis)}{kept})")
                self.axes = self.axes if keepdim else _without(self.axes, [axis])
            return
        method = {"min": "amin", "max": "amax"}.get(reduction, reduction)
        self.calls.append(f".{method}(dim={_one_or_more(map(self.dim, axes))}{kept})")
        self.axes = self.axes if keepdim else _without(self.axes, axes)

    def insert(self, axes: Sequence[str]) -> None:
        """Makes these the axes: existing ones, in the same order, and new ones of size 1."""
        new = [axis for axis in axes if axis not in self.axes]
        if len(new) == 1:
            self.calls.append(f".unsqueeze({_dim(axes, new[0])})")
        elif new:
            items = ["None" if axis in new else "..." if axis == ELLIPSIS else ":" for axis in axes]
            # The indices on a side of an ellipsis are left out if they insert no axis.
            index = re.sub(r"^(:, )+(?=\.)", "", ", ".join(items))
            self.calls.append(f"[{re.sub(r', [.]{3}(, :)*$', '', index)}]")
        self.axes = list(axes)

    def expand(self, axes: Sequence[str], sizes: str) -> None:
        self.calls.append(f".expand({sizes})")
        self.axes = list(axes)

    def flatten(self, parts: Sequence[str]) -> None:
        if len(parts) < 2:
            return
        first, last = self.axes.index(parts[0]), self.axes.index(parts[-1])
        start, end = self.dim(parts[0]), self.dim(parts[-1])
        if ELLIPSIS in parts:
            start, end = first, last - len(self.axes)
        if last == len(self.axes) - 1:
            self.calls.append(f".flatten({start or ''})")
        else:
            self.calls.append(f".flatten({start}, {end})")
        self.axes[first : last + 1] = [" ".join(parts)]


def _dim(axes: Sequence[str], axis: str) -> int:
    at = axes.index(axis)
    return at - len(axes) if ELLIPSIS in axes[:at] else at


def _without(axes: Sequence[str], others: Iterable[str]) -> list[str]:
    left_out = set(others)
    return [axis for axis in axes if axis not in left_out]


def _one_or_more(dims: Iterable[int]) -> str:
    texts = [str(dim) for dim in dims]
    return texts[0] if len(texts) == 1 else _tuple(texts)


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
