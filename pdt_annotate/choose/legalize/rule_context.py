"""The context of a rule: the position of the type, the known classes, and how to recurse."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.values.slots import Classes, Illegal, Legal, SlotKind
from pdt_annotate.values.types import TypeExpr

LegalOrNot = Legal | Illegal
LIMIT = 4  # alternatives that a container keeps: each costs the search a compilation

Rule = Callable[[TypeExpr, "Context"], LegalOrNot | None]  # it returns None for a type that it does not know


@dataclass(frozen=True)
class Context:
    """One legalization: the slot's kind, the observed classes by dotted name, and the ordered table of rules."""

    kind: SlotKind
    classes: Classes
    rules: Mapping[str, Rule]
    element: bool = False  # the type is of the elements of a list or dict in that slot

    @property
    def converts(self) -> bool:
        """Whether values come from Python, whose numbers, tuples and sizes TorchScript converts on entry."""
        return self.kind in (SlotKind.PARAMETER, SlotKind.ATTRIBUTE)

    def legalize(self, type: TypeExpr) -> LegalOrNot:
        for name, rule in self.rules.items():
            result = rule(type, self)
            if isinstance(result, Legal):  # this rule comes before the rules that it used
                return replace(result, rules=tuple(dict.fromkeys((name, *result.rules))))
            if result is not None:
                return result
        raise LookupError(f"no rule for {type}")

    def inside(self) -> "Context":
        return replace(self, element=True)


def compose(build: Callable[[tuple[TypeExpr, ...]], TypeExpr], parts: Sequence[LegalOrNot]) -> LegalOrNot:
    """The type that `build` makes of the parts, with alternatives from theirs; an illegal part makes it illegal."""
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
    return compose(lambda types: TypeExpr(name, types), parts)


def distinct(first: TypeExpr, others: Iterable[TypeExpr]) -> tuple[TypeExpr, ...]:
    """The other types in order, each once, without the first."""
    return tuple(dict.fromkeys(other for other in others if other != first))


def _substitutions(parts: Sequence[Legal]) -> Iterator[tuple[TypeExpr, ...]]:
    """Each part's best alternative first, then each one's second best. Equal parts change together."""
    types = tuple(part.type for part in parts)
    options = [[(part.type, other) for other in part.alternatives] for part in dict.fromkeys(parts)]
    for old, new in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*options))):
        yield tuple(new if type == old else type for type in types)
