"""Union of numbers -> the one number type that computes alike: int, float -> Union[int, float] or float, ...

Which body compiles with which type, and what it answers, was tried on the compiler; `tests/test_legalize_numbers.py`
keeps the deciding trials. A Union of exactly int, float, complex is the compiler's Scalar: it holds a bool too, unlike
Union[int, float], and is truthy and passes for a float. Union[int, bool] can do nothing before an isinstance.
"""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize.context import Context, LegalOrNot, TypePosition
from pdt_annotate.choose.legalize.scalars import SCALARS
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TypeExpr

NUMBERS = ("int", "float", "complex", "bool")
INT, FLOAT, COMPLEX, BOOL = map(TypeExpr, NUMBERS)
SCALAR = TypeExpr("Union", (INT, FLOAT, COMPLEX))
INT_FLOAT = TypeExpr("Union", (INT, FLOAT))
INT_BOOL = TypeExpr("Union", (INT, BOOL))
FLOAT_BOOL = TypeExpr("Union", (FLOAT, BOOL))
INT_FLOAT_BOOL = TypeExpr("Union", (INT, FLOAT, BOOL))

Choices = tuple[TypeExpr, ...]

CHOICES: Mapping[frozenset[str], Choices] = {
    frozenset({"int", "float"}): (INT_FLOAT, SCALAR, FLOAT),
    frozenset({"int", "bool"}): (INT, INT_BOOL, BOOL),
    frozenset({"float", "bool"}): (SCALAR, FLOAT, FLOAT_BOOL),
    frozenset({"int", "float", "bool"}): (SCALAR, FLOAT, INT_FLOAT_BOOL),
}
"""What a parameter should be, by what it was seen to be. Python's int, float and bool are converted on entry."""

COMPUTED: Mapping[frozenset[str], Choices] = {
    frozenset({"int", "float"}): (FLOAT, SCALAR, INT_FLOAT),
    frozenset({"float", "bool"}): (FLOAT, SCALAR, FLOAT_BOOL),
    frozenset({"int", "float", "bool"}): (FLOAT, SCALAR, INT_FLOAT_BOOL),
}
KEPT: Mapping[frozenset[str], Choices] = {
    frozenset({"int", "bool"}): (INT_BOOL, INT, BOOL),
    frozenset({"float", "bool"}): (FLOAT_BOOL, SCALAR, FLOAT),
    frozenset({"int", "float", "bool"}): (INT_FLOAT_BOOL, SCALAR, FLOAT),
}

ELSEWHERE: Mapping[TypePosition, Mapping[frozenset[str], Choices]] = {
    # An element meets sum, max, torch.tensor, which refuse Unions; only Python callers fill it with both.
    TypePosition.ELEMENT: COMPUTED,
    # The result of arithmetic on a Union is a Scalar, and cannot be assigned back to Union[int, float].
    TypePosition.ATTRIBUTE: COMPUTED,
    # A literal assigned to a local is not converted: `s: float = 0` is refused.
    TypePosition.LOCAL: {**KEPT, frozenset({"int", "float"}): (SCALAR, INT_FLOAT, FLOAT)},
    # Nor is a returned value converted, so each type is kept.
    TypePosition.RETURN: KEPT,
}
"""What another place should be, where it differs from a parameter."""


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """One spelling each: members are in the order int, float, complex, bool."""
    if type.name != "Union":
        return None
    names = frozenset(SCALARS.get(member.name, "") for member in type.args)
    if not names <= set(NUMBERS):
        return None
    if len(names) == 1:
        return Legal(TypeExpr(next(iter(names))))
    first, *others = _choices(names, context.place)
    return Legal(first, alternatives=tuple(others))


def is_number(type: TypeExpr) -> bool:
    """Whether a legal type is a number or a Union of numbers."""
    return all(member.name in NUMBERS for member in (type.args if type.name == "Union" else (type,)))


def _choices(names: frozenset[str], place: TypePosition) -> Choices:
    if "complex" in names:
        exact = TypeExpr("Union", tuple(TypeExpr(name) for name in NUMBERS if name in names))
        return tuple(dict.fromkeys((SCALAR, exact, COMPLEX)))
    return ELSEWHERE.get(place, {}).get(names) or CHOICES[names]
