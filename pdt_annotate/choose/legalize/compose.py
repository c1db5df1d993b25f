"""Build a legal type from legal parts, with the alternatives that follow from the parts' alternatives."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from pdt_annotate.choose.legalize.context import LegalOrNot
from pdt_annotate.values.slots import Illegal, Legal
from pdt_annotate.values.types import TypeExpr

LIMIT = 4
"""Alternatives that a container keeps: each costs the search a compilation."""


def compose(build: Callable[[tuple[TypeExpr, ...]], TypeExpr], parts: Sequence[LegalOrNot]) -> LegalOrNot:
    """The type that `build` makes of the parts; the first illegal part makes the whole illegal."""
    legal: list[Legal] = []
    for part in parts:
        if isinstance(part, Illegal):
            return part
        legal.append(part)
    whole = build(tuple(part.type for part in legal))
    return Legal(
        whole,
        rules=tuple(dict.fromkeys(rule for part in legal for rule in part.rules)),
        alternatives=distinct(whole, map(build, _substitutions(legal)))[:LIMIT],
        guess=any(part.guess for part in legal),
    )


def container(name: str, parts: Sequence[LegalOrNot]) -> LegalOrNot:
    """`name[parts]`."""
    return compose(lambda types: TypeExpr(name, types), parts)


def distinct(first: TypeExpr, others: Iterable[TypeExpr]) -> tuple[TypeExpr, ...]:
    """The other types in order, each once, without the first."""
    return tuple(dict.fromkeys(other for other in others if other != first))


def _substitutions(parts: Sequence[Legal]) -> Iterator[tuple[TypeExpr, ...]]:
    """Each part's best alternative first, then each one's second best. Equal parts change together."""
    types = tuple(part.type for part in parts)
    options = [[(part.type, other) for other in part.alternatives] for part in dict.fromkeys(parts)]
    for swap in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*options))):
        old, new = swap
        yield tuple(new if type == old else type for type in types)
