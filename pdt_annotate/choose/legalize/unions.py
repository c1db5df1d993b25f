"""None, Optional and Unions of values that are not all numbers."""

from dataclasses import replace

from pdt_annotate.choose.legalize.rule_context import Context, LegalOrNot, compose, distinct
from pdt_annotate.choose.legalize.torch_values import INTS
from pdt_annotate.values.slots import ClassKind, Illegal, Legal, SlotKind
from pdt_annotate.values.types import BOOL, DEVICE, FLOAT, INT, NONE, STR, TENSOR, TypeExpr, union

BOTH = TypeExpr("Union", (STR, DEVICE))
LIKELY = (INT, FLOAT, BOOL, STR, INTS)  # after Tensor, the guesses for a slot in which only None was seen
ALIKE = frozenset({"int", "torch.dtype", "torch.qscheme"})  # one type to the compiler


def legalize_none(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """None alone -> Optional[Tensor], a guess; as a return it stays None.

    A parameter typed None makes dead code of every branch for the other case, so the other case is guessed.
    """
    if type != NONE:
        return None
    if context.kind is SlotKind.RETURN:
        return Legal(NONE, alternatives=(optional(TENSOR),))
    return Legal(optional(TENSOR), alternatives=tuple(map(optional, LIKELY)), guess=True)


def optional(type: TypeExpr) -> TypeExpr:
    """`Optional[type]`, unless the type includes None already."""
    return type if type.name == "Optional" or type == NONE else TypeExpr("Optional", (type,))


def legalize_optional(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Union[T, None] -> Optional[T]."""
    if NONE not in type.members:
        return None
    inner = context.legalize(union(*(member for member in type.members if member != NONE)))
    if isinstance(inner, Illegal):
        return inner
    whole = optional(inner.type)
    return replace(inner, type=whole, alternatives=distinct(whole, map(optional, inner.alternatives)))


def legalize_device_names(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Union[str, device] -> device; TorchScript converts a string argument to a device.

    The Union fits nothing that takes a device; it is kept for code that tests which of the two it got.
    """
    if type.name != "Union" or set(type.args) != {STR, DEVICE}:
        return None
    first, second = (DEVICE, BOTH) if context.converts else (BOTH, DEVICE)
    return Legal(first, alternatives=(second,))


def legalize_union(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Union[A, B] -> Union of the legal members, without members that another one covers.

    Most bodies can use a Union only after an isinstance test; the verifier finds out whether this one does.
    """
    return legalize_members(type, context) if type.name == "Union" else None


def legalize_members(type: TypeExpr, context: Context) -> LegalOrNot:
    """The Union of the legal members, legalized again if they changed: another rule may know it better."""
    result = compose(lambda types: drop_covered(union(*types), context), [context.legalize(arg) for arg in type.args])
    if isinstance(result, Illegal) or result.type == type or set(result.type.args) == set(type.args):
        return result
    again = context.legalize(result.type)
    return again if isinstance(again, Illegal) else replace(again, guess=again.guess or result.guess)


def drop_covered(type: TypeExpr, context: Context) -> TypeExpr:
    """The Union without subtypes of other members; of two equal members the first stays, or the named one."""
    members = type.members
    kept: list[TypeExpr] = []
    for member in sorted(members, key=lambda member: member.name == "tuple"):
        if not any(is_subtype(member, other, context) for other in kept):
            kept = [other for other in kept if not is_subtype(other, member, context)] + [member]
    return union(*(member for member in members if member in kept))


def is_subtype(sub: TypeExpr, base: TypeExpr, context: Context) -> bool:
    """Whether the compiler takes every value of `sub` for a `base`; a NamedTuple and the Tuple of its fields unify."""
    if sub == base or {sub.name, base.name} <= ALIKE:
        return True
    if base.name in ("Union", "Optional"):
        return all(any(is_subtype(each, other, context) for other in base.members) for each in sub.members)
    left, right = _elements(sub, context), _elements(base, context)
    if left is None or right is None or len(left) != len(right):
        return False
    return all(is_subtype(one, other, context) for one, other in zip(left, right, strict=True))


def _elements(type: TypeExpr, context: Context) -> tuple[TypeExpr, ...] | None:
    """The elements of a Tuple, the fields of a NamedTuple; None for any other type."""
    if type.name == "tuple":
        return type.args
    info = context.classes.get(type.name)
    if info is None or info.kind is not ClassKind.NAMEDTUPLE:
        return None
    return tuple(field or NONE for _, field in info.fields)
