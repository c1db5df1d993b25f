"""Which legal type covers which: a Union of a type and its subtype crashes the compiler (union_type.cpp)."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context
from pdt_annotate.values.slots import ClassKind
from pdt_annotate.values.types import NONE, TypeExpr, union

INTS = frozenset({"int", "torch.dtype", "torch.qscheme"})
"""One type to the compiler."""


def drop_covered(type: TypeExpr, context: Context) -> TypeExpr:
    """The Union without each member that is a subtype of another; of two that are one, the first or the named stays."""
    members = type.args if type.name == "Union" else (type,)
    kept: list[TypeExpr] = []
    for member in sorted(members, key=lambda member: member.name == "tuple"):
        if not any(is_subtype(member, other, context) for other in kept):
            kept = [other for other in kept if not is_subtype(other, member, context)] + [member]
    return union(*(member for member in members if member in kept))


def is_subtype(sub: TypeExpr, base: TypeExpr, context: Context) -> bool:
    """Whether every value of the one is a value of the other to the compiler; a NamedTuple is the Tuple of its fields.

    A plain Tuple counts as a subtype of the NamedTuple with the same fields: they unify, and a value of either is
    accepted where the NamedTuple is wanted.
    """
    if sub == base or {sub.name, base.name} <= INTS:
        return True
    if base.name in ("Union", "Optional"):
        admitted = union(base).args
        members = union(sub).args if sub.name in ("Union", "Optional") else (sub,)
        return all(any(is_subtype(each, other, context) for other in admitted) for each in members)
    left, right = _elements(sub, context), _elements(base, context)
    if left is None or right is None or len(left) != len(right):
        return False
    return all(is_subtype(one, other, context) for one, other in zip(left, right, strict=True))


def _elements(type: TypeExpr, context: Context) -> tuple[TypeExpr, ...] | None:
    """The elements of a Tuple, the fields of a NamedTuple; None for any other type."""
    if type.name == "tuple":
        return type.args
    info = context.info(type)
    if info is None or info.kind is not ClassKind.NAMEDTUPLE:
        return None
    return tuple(field or NONE for _, field in info.fields)
