"""The observed types of one slot → one type.

Element-wise first, then a Union: `list[int], list[float] -> list[Union[int, float]]`. Nothing is lost that a later
stage could need: `int` and `bool` stay two members, and so do tuples of two lengths, because which single type stands
for them depends on the kind of slot. The join is commutative, associative and idempotent, so observations may come in
any order and from any number of runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

RULES: Mapping[str, str] = {
    "subclasses": "Tensor, Parameter -> Tensor; dict, OrderedDict -> dict; list, deque -> list",
    "elements": "list[int], list[float] -> list[Union[int, float]]",
    "tuples": "tuple[int, str], tuple[float, str] -> tuple[Union[int, float], str]",
    "namedtuple-fields": "Point[int], Point[float] -> Point[Union[int, float]]",
    "empty": "list (empty), list[int] -> list[int]",
    "optional": "None, int -> Union[int, None]",
    "union": "int, str -> Union[int, str]",
}
"""Each rule's name and what it does, in the order in which a result lists them."""

KIN: Mapping[str, str] = {
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
    "collections.deque": "list",
}
"""Containers that are one type with their plain kin, as soon as both were seen."""

SCALARS = ("int", "float", "complex", "bool", "str")
ORDER = {name: index for index, name in enumerate(SCALARS)} | {NONE.name: len(SCALARS) + 1}


@dataclass
class _Trail:
    """The rules that a join used."""

    used: set[str] = field(default_factory=set)

    def names(self) -> tuple[str, ...]:
        return tuple(name for name in RULES if name in self.used)


def consolidate(types: Sequence[TypeExpr]) -> tuple[TypeExpr, tuple[str, ...]]:
    """The one type of all the observed types, and the names of the rules that made it.

    Raises:
        ValueError: no types were given.
    """
    if not types:
        raise ValueError("no types to consolidate")
    trail = _Trail()
    return _join(types, trail), trail.names()


def tells_nothing(type: TypeExpr) -> bool:
    """Whether a type leaves open what a slot is for: None, an empty container, one of Nones."""
    if type.name in ("list", "dict", "Union", "Optional"):
        return all(tells_nothing(arg) for arg in type.args)
    return type == NONE


def _join(types: Iterable[TypeExpr], trail: _Trail) -> TypeExpr:
    """Members of one family become one; what remains apart becomes a Union with None last."""
    families: dict[tuple[str, int], list[TypeExpr]] = {}
    for member in dict.fromkeys(member for each in types for member in _members(each)):
        families.setdefault(_family(member), []).append(member)
    joined = [_join_family(family, trail) for family in families.values()]
    # Scalars in the order in which people write them, then by name, None last.
    joined.sort(key=lambda type: (ORDER.get(type.name, len(SCALARS)), type))
    if len(joined) == 1:
        return joined[0]
    if NONE in joined:
        trail.used.add("optional")
    if len(joined) - (NONE in joined) > 1:
        trail.used.add("union")
    return TypeExpr("Union", tuple(joined))


def _members(type: TypeExpr) -> Iterable[TypeExpr]:
    """The members of a Union or Optional, however deep; any other type is its own."""
    if type.name == "Optional":
        yield NONE
    if type.name not in ("Union", "Optional"):
        yield type
        return
    for arg in type.args:
        yield from _members(arg)


def _family(type: TypeExpr) -> tuple[str, int]:
    """Types of one family join into one type. A tuple's length is part of its family."""
    if type.inherits(TENSOR.name):
        return TENSOR.name, 0
    return KIN.get(type.name, type.name), len(type.args) if type.name == "tuple" else 0


def _join_family(family: Sequence[TypeExpr], trail: _Trail) -> TypeExpr:
    if len({member.name for member in family}) == 1:
        name, bases = family[0].name, family[0].bases
    else:
        trail.used.add("subclasses")
        name, bases = _family(family[0])[0], ()
    return TypeExpr(name, _join_args(family, trail), bases)


def _join_args(family: Sequence[TypeExpr], trail: _Trail) -> tuple[TypeExpr, ...]:
    """The arguments, joined place by place. One without arguments was empty and says nothing of the elements."""
    columns = [member.args for member in family if member.args]
    if not columns:
        return ()
    if len(columns) < len(family):
        trail.used.add("empty")
    if len(columns) > 1:
        others = "namedtuple-fields" if "tuple" in family[0].bases else "elements"
        trail.used.add("tuples" if family[0].name == "tuple" else others)
    width = max(len(args) for args in columns)
    return tuple(_join([args[place] for args in columns if place < len(args)], trail) for place in range(width))
