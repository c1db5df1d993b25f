"""The language of einops patterns, `b (h w) d -> b h w d`, and the methods of a tensor for a pattern."""

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.mends.moves.spell.einops.chain import ELLIPSIS, Chain

Dimension = tuple[str, ...]
"""The axes that make one dimension of a tensor: one; several in parentheses; none of a dimension of size 1."""

Side = tuple[Dimension, ...]

GROUP, WORD = re.compile(r"\([^()]*\)|[^() ]+"), re.compile(r"[^() ]+")


@dataclass(frozen=True)
class Pattern:
    """Both sides of a pattern. A number as an axis gets a unique name from its length and position."""

    left: Side
    right: Side


def parse(text: str) -> Pattern | None:
    """A pattern of einops; None if einops refuses it.

    >>> parse("b (h w) -> b 1 h w")
    Pattern(left=(('b',), ('h', 'w')), right=(('b',), (), ('h',), ('w',)))
    """
    first, *others = text.split("->")
    left, right = parse_side(first), parse_side(others[0], len(first)) if len(others) == 1 else None
    if left is None or right is None or any(ELLIPSIS in group and len(group) > 1 for group in left):
        return None
    return Pattern(left, right)


def parse_side(text: str, start: int = 0) -> Side | None:
    """The dimensions on one side of the arrow, with positions counted from `start`; None if einops refuses it."""
    dimensions = tuple(_dimension(group, start) for group in GROUP.finditer(text))
    axes = [axis for dimension in dimensions for axis in dimension]
    is_sound = "@" not in text and not GROUP.sub("", text).strip(" ")
    are_axes = all(axis == ELLIPSIS or is_axis(axis) or length_of(axis) for axis in axes)
    return dimensions if is_sound and are_axes and len(axes) == len(set(axes)) else None


def _dimension(group: re.Match[str], start: int) -> Dimension:
    """The axes of a name, a number or several in parentheses: none for 1."""
    words = [(word[0], start + group.start() + word.start()) for word in WORD.finditer(group[0])]
    if group[0][0] == "(" and [word for word, _ in words] == [ELLIPSIS]:
        # As in einops: the ellipsis makes a dimension of size 1 if it has no dimensions.
        return (f"1@{start + group.start()}", ELLIPSIS)
    named = [f"{int(word)}@{at}" if word.isdecimal() and int(word) else word for word, at in words]
    return tuple(axis for axis in named if not _is_one(axis))


def length_of(axis: str) -> str:
    """The length of an axis that is a number; "" of one that has a name."""
    return axis.partition("@")[0] if "@" in axis else ""


def is_axis(name: str) -> bool:
    return name.isidentifier() and name.strip("_") == name


REARRANGE, REPEAT, REDUCE = "rearrange", "repeat", "reduce"
REDUCTIONS = frozenset(["min", "max", "sum", "mean", "prod", "any", "all"])


def _is_sound(pattern: Pattern, operation: str, lengths: Mapping[str, str]) -> bool:
    """Whether einops takes the pattern for this operation, and methods can do it."""
    given, made = set(_flat(pattern.left)), {axis for axis in _flat(pattern.right) if not _is_one(axis)}
    known = {axis for axis in given | made if axis in lengths or length_of(axis)}
    if operation == REARRANGE:
        fits = given == made and not any(map(length_of, given))
    elif operation == REPEAT:
        fits = given <= made and made - given <= known
    else:
        fits = operation in REDUCTIONS and made <= given and ELLIPSIS not in given - made
    return fits and lengths.keys() <= known and all(len(set(group) - known) < 2 for group in pattern.left)


class Methods:
    """The methods for a pattern: they split the parentheses of the left side, reduce, sort, repeat, and join.

    This is the order of einops, so views stay views, and the last bits of a reduction are the same.

    Attributes:
        calls: the source of each call, `.flatten(2)`, or index, `[:, None]`; they follow the source of the tensor.
        used: the axes whose lengths the calls take, in their order.
        reads_shape: the calls read the tensor too.
    """

    def __init__(self, pattern: Pattern, operation: str, lengths: Mapping[str, str], tensor: str) -> None:
        self.lengths, self.tensor = lengths, tensor
        # Dimensions of size 1 get names.
        self.left: Side = tuple(group or (f"1@left{at}",) for at, group in enumerate(pattern.left))
        self.right: Side = tuple(group or (f"1@right{at}",) for at, group in enumerate(pattern.right))
        self.given = _flat(self.left)
        self.chain = Chain(map(" ".join, self.left))
        self.calls, self.used, self.reads_shape = self.chain.calls, list[str](), False
        self.grown: Mapping[str, str] = {}
        reduced = [axis for axis in self.given if axis not in _flat(self.right) and not _is_one(axis)]
        keepdim = self._match(reduced)
        self.chain.squeeze([axis for axis in self.given if _is_one(axis) and axis not in _flat(self.right)])
        for group in self.left:
            if len(group) > 1:  # The length of a whole dimension would only check it.
                self.chain.unflatten(" ".join(group), group, [self._size(axis) for axis in group])
        if reduced:
            present = self._present()
            if present != [axis for axis in self.chain.axes if axis in present]:
                self.chain.permute([*present, *reduced])
            self.chain.reduce(operation, reduced, keepdim=keepdim)
        self.chain.permute(self._present())
        self._repeat()
        for group in self.right:
            self.chain.flatten(group)
        self.chain.insert([" ".join(group) for group in self.right])

    def _match(self, reduced: Sequence[str]) -> bool:
        """Keep dimensions of size 1 that the right side has, or repeats, in place; return if all `reduced` axes are."""
        pairs = self._pairs(reduced)
        common = [axis for axis in _flat(self.right) if axis in self.given]
        is_sorted = common == [axis for axis in self.given if axis in common]
        keepdim = bool(reduced) and is_sorted and pairs.keys() >= set(reduced)
        if not keepdim:
            pairs = self._pairs([])
        old = {new: old for old, new in pairs.items()}
        self.grown = {old: new for old, new in pairs.items() if not _is_one(new)}
        self.right = tuple(tuple(old.get(axis, axis) for axis in group) for group in self.right)
        return keepdim

    def _pairs(self, reduced: Collection[str]) -> dict[str, str]:
        """The axes of size 1 on the left side, or after the reduction, each with its axis on the right."""
        common = set(self.given) & set(_flat(self.right))
        shrunk = [axis for axis in self.given if axis in common or axis in reduced or _is_one(axis)]
        new = _between(_flat(self.right), common)
        pairs = ((old, new.get(where, [])) for where, old in _between(shrunk, common).items())
        return dict(pair for old, new in pairs for pair in zip(reversed(old), reversed(new), strict=False))

    def _present(self) -> list[str]:
        return [axis for axis in _flat(self.right) if axis in self.chain.axes]

    def _size(self, axis: str) -> str:
        known = self.grown.get(axis, axis)
        if known in self.lengths:
            self.used.append(known)
        return length_of(known) or self.lengths.get(known, "-1")

    def _repeat(self) -> None:
        """Inserts and expands new axes with a length, and all axes that joining them needs."""
        new = [axis for axis in _flat(self.right) if axis not in self.chain.axes and not _is_one(axis)]
        joined = {axis for group in self.right if len(group) > 1 for axis in group}
        if not (new or self.grown):
            self.chain.insert([axis for axis in _flat(self.right) if axis in self.chain.axes or axis in joined])
            return
        late = {axis for axis in _flat(self.right) if joined and _is_one(axis) and axis not in joined}
        axes = [axis for axis in _flat(self.right) if axis in self.chain.axes or axis not in late]
        leading = list(itertools.takewhile(lambda axis: axis not in self.chain.axes, axes))
        self.chain.insert(axes[len(leading) :])
        self.chain.expand(axes, self._sizes(axes, {*new, *leading}))

    def _sizes(self, axes: Sequence[str], new: Collection[str]) -> str:
        """The sizes to expand axes to. -1 keeps a size, but no size can express all dimensions of an ellipsis."""
        sizes = [self._size(axis) if axis in new or axis in self.grown else "-1" for axis in axes]
        if ELLIPSIS not in axes:
            return ", ".join(sizes)
        self.reads_shape = True
        same = [axis if size == "-1" else "" for axis, size in zip(axes, sizes, strict=True)]
        names = list(map(" ".join, self.left))
        at, start = axes.index(ELLIPSIS), names.index(ELLIPSIS)
        before, behind = _alike(same[:at][::-1], names[:start][::-1]), _alike(same[at:], names[start:])
        first_same, behind_same = start - before, start + behind - len(names)
        shape = f"{self.tensor}.shape"
        if first_same or behind_same:
            shape += f"[{first_same or ''}:{behind_same or ''}]"
        first, last = (f"[{', '.join(part)}]" if part else "" for part in (sizes[: at - before], sizes[at + behind :]))
        return " + ".join(filter(None, [first, f"list({shape})", last]))


def plan(pattern: Pattern, operation: str, lengths: Mapping[str, str], tensor: str) -> Methods | None:
    """The calls for a pattern; None if einops refuses it, or no plain calls do the same.

    Args:
        operation: "rearrange", "repeat", or a reduction.
        lengths: the source of the lengths that are passed, by axis.
    """
    return Methods(pattern, operation, lengths, tensor) if _is_sound(pattern, operation, lengths) else None


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


def _flat(side: Side) -> list[str]:
    return [axis for group in side for axis in group]


def _is_one(axis: str) -> bool:
    return length_of(axis) == "1"


def _between(axes: Iterable[str], common: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """By two neighbouring common axes, the other axes between them."""
    found: dict[tuple[str, str], list[str]] = {}
    last, others = "", list[str]()
    for axis in (*axes, ""):
        if axis and axis not in common:
            others.append(axis)
            continue
        found[last, axis] = others
        last, others = axis, []
    return found
