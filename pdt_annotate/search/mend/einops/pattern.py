"""The language of einops patterns: `b (h w) d -> b h w d` into axes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ELLIPSIS = "..."

Dimension = tuple[str, ...]
"""The axes that make one dimension of a tensor: one; several in parentheses; none of a dimension of size 1."""

Side = tuple[Dimension, ...]


@dataclass(frozen=True)
class Pattern:
    """Both sides of a pattern.

    An axis that is a number, and has no name, is called as no other is: by its length and where it stands.
    """

    left: Side
    right: Side


def parse(text: str) -> Pattern | None:
    """A pattern of einops; None where einops refuses it.

    >>> parse("b (h w) -> b 1 h w")
    Pattern(left=(('b',), ('h', 'w')), right=(('b',), (), ('h',), ('w',)))
    """
    first, *others = text.split("->")
    left, right = parse_side(first), parse_side(others[0], len(first)) if len(others) == 1 else None
    if left is None or right is None or any(ELLIPSIS in group and len(group) > 1 for group in left):
        return None
    return Pattern(left, right)


def parse_side(text: str, start: int = 0) -> Side | None:
    """What stands on one side of the arrow, from a position on; None where einops refuses it."""
    tokens = re.sub(r"[()]", r" \g<0> ", text).split(" ")
    try:
        dimensions = tuple(_dimensions(enumerate(filter(None, tokens), start)))
    except ValueError:
        return None
    axes = [axis for dimension in dimensions for axis in dimension]
    return dimensions if len(axes) == len(set(axes)) else None


def length_of(axis: str) -> str:
    """The length of an axis that is a number; "" of one that has a name."""
    return axis.partition("@")[0] if "@" in axis else ""


def _dimensions(tokens: Iterable[tuple[int, str]]) -> Iterator[Dimension]:
    group: list[str] | None = None
    for position, token in tokens:
        if token == "(" and group is None:
            group = []
        elif token == ")" and group is not None:
            # As einops has it: of no dimensions, the ellipsis makes one of size 1.
            yield (f"1@{position}", ELLIPSIS) if group == [ELLIPSIS] else tuple(group)
            group = None
        elif group is None:
            yield tuple(_axis(token, position))
        else:
            group += _axis(token, position)
    if group is not None:
        raise ValueError("a parenthesis is not closed")


def _axis(token: str, position: int) -> Iterator[str]:
    """The axis that a token names, none for 1."""
    if token.isdecimal() and int(token) > 0:
        if int(token) > 1:
            yield f"{int(token)}@{position}"
    elif token == ELLIPSIS or (token.isidentifier() and token.strip("_") == token):
        yield token
    else:
        raise ValueError(f"no axis is called {token}")
