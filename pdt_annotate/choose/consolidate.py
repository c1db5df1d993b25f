"""The observed types of one slot → one type: `list[int], list[float] -> list[Union[int, float]]`.

A later stage replaces `int` and `bool`, or tuples of two lengths, by one type, which depends on the kind of slot. The
join is commutative, associative and idempotent, so observations may come in any order and from any number of runs.
"""

from collections.abc import Iterable, Mapping, Sequence

from pdt_annotate.values.groups import grouped
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

# Each rule's name and effect, in the order in which a result lists them.
RULES: Mapping[str, str] = {
    "subclasses": "Tensor, Parameter -> Tensor; dict, OrderedDict -> dict; list, deque -> list",
    "elements": "list[int], list[float] -> list[Union[int, float]]",
    "tuples": "tuple[int, str], tuple[float, str] -> tuple[Union[int, float], str]",
    "namedtuple-fields": "Point[int], Point[float] -> Point[Union[int, float]]",
    "empty": "list (empty), list[int] -> list[int]",
    "optional": "None, int -> Union[int, None]",
    "union": "int, str -> Union[int, str]",
}
# Containers that become one type with their plain kin, as soon as both were seen.
KIN = {"collections.OrderedDict": "dict", "collections.defaultdict": "dict", "collections.deque": "list"}

SCALARS = ("int", "float", "complex", "bool", "str")
ORDER = {name: index for index, name in enumerate(SCALARS)} | {NONE.name: len(SCALARS) + 1}


def consolidate(types: Sequence[TypeExpr]) -> tuple[TypeExpr, tuple[str, ...]]:
    """The one type of all the observed types, and the names of the rules that made it; raises `ValueError` for none."""
    if not types:
        raise ValueError("no types to consolidate")
    used: set[str] = set()
    return _join(types, used), tuple(name for name in RULES if name in used)


def tells_nothing(type: TypeExpr) -> bool:
    """Whether a type says nothing of a slot's values: None, an empty container, one of Nones."""
    if type.name in ("list", "dict", "Union", "Optional"):
        return all(tells_nothing(arg) for arg in type.args)
    return type == NONE


def _join(types: Iterable[TypeExpr], used: set[str]) -> TypeExpr:
    """Members of one family become one; several families become a Union with None last. Adds to the rules `used`."""
    members = dict.fromkeys(member for each in types for member in each.members)
    families = grouped((_family(member), member) for member in members)
    joined = [_join_family(family, used) for family in families.values()]
    # Scalars in the order in which people write them, then by name, None last.
    joined.sort(key=lambda type: (ORDER.get(type.name, len(SCALARS)), type))
    if len(joined) == 1:
        return joined[0]
    if NONE in joined:
        used.add("optional")
    if len(joined) - (NONE in joined) > 1:
        used.add("union")
    return TypeExpr("Union", tuple(joined))


def _family(type: TypeExpr) -> tuple[str, int]:
    """Types of one family join into one type. A tuple's length is part of its family."""
    if type.inherits(TENSOR.name):
        return TENSOR.name, 0
    return KIN.get(type.name, type.name), len(type.args) if type.name == "tuple" else 0


def _join_family(family: Sequence[TypeExpr], used: set[str]) -> TypeExpr:
    """One type, with the arguments joined place by place; an empty container says nothing of its elements."""
    name, bases = family[0].name, family[0].bases
    if any(member.name != name for member in family):
        used.add("subclasses")
        name, bases = _family(family[0])[0], ()
    columns = [member.args for member in family if member.args]
    if 0 < len(columns) < len(family):
        used.add("empty")
    if len(columns) > 1:
        others = "namedtuple-fields" if "tuple" in family[0].bases else "elements"
        used.add("tuples" if family[0].name == "tuple" else others)
    width = max((len(args) for args in columns), default=0)
    args = (_join([args[place] for args in columns if place < len(args)], used) for place in range(width))
    return TypeExpr(name, tuple(args), bases)
