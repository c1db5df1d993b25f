"""Numbers; for a Union of numbers a number type with the same results, as tried on the compiler.

A Union of exactly int, float, complex is the compiler's Scalar: it holds a bool too, unlike Union[int, float], and is
truthy and passes for a float. Union[int, bool] can do nothing before an isinstance.
"""

from collections.abc import Mapping

from pdt_annotate.choose.legalize.rule_context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal, SlotKind
from pdt_annotate.values.types import BOOL, FLOAT, INT, TypeExpr

NUMPY: Mapping[str, tuple[str, ...]] = {
    "bool": ("bool", "bool_"),
    "int": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "longlong", "ulonglong", "intc"),
    "float": ("float16", "float32", "float64", "longdouble"),
    "complex": ("complex64", "complex128", "clongdouble"),
    "str": ("str_",),
}

# Observed name -> TorchScript's.
SCALARS: Mapping[str, str] = {
    **{name: name for name in NUMPY},
    **{f"numpy.{alias}": name for name, aliases in NUMPY.items() for alias in aliases},
    "torch.SymInt": "int",
    "torch.SymFloat": "float",
    "torch.SymBool": "bool",
}

NUMBERS = ("int", "float", "complex", "bool")
COMPLEX = TypeExpr("complex")
SCALAR = TypeExpr("Union", (INT, FLOAT, COMPLEX))
INT_FLOAT = TypeExpr("Union", (INT, FLOAT))
INT_BOOL = TypeExpr("Union", (INT, BOOL))
FLOAT_BOOL = TypeExpr("Union", (FLOAT, BOOL))
INT_FLOAT_BOOL = TypeExpr("Union", (INT, FLOAT, BOOL))

Choices = tuple[TypeExpr, ...]

# A parameter's types, by its observed types. Python's int, float and bool are converted on entry.
CHOICES: Mapping[frozenset[str], Choices] = {
    frozenset({"int", "float"}): (INT_FLOAT, SCALAR, FLOAT),
    frozenset({"int", "bool"}): (INT, INT_BOOL, BOOL),
    frozenset({"float", "bool"}): (SCALAR, FLOAT, FLOAT_BOOL),
    frozenset({"int", "float", "bool"}): (SCALAR, FLOAT, INT_FLOAT_BOOL),
}
# An element of a list or dict meets sum, max, torch.tensor, which refuse Unions; only Python callers fill it with both.
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

# The types for other kinds of slot, if they differ from a parameter's.
ELSEWHERE: Mapping[SlotKind, Mapping[frozenset[str], Choices]] = {
    # The result of arithmetic on a Union is a Scalar, and cannot be assigned back to Union[int, float].
    SlotKind.ATTRIBUTE: COMPUTED,
    # A literal assigned to a local is not converted: `s: float = 0` is refused.
    SlotKind.LOCAL: {**KEPT, frozenset({"int", "float"}): (SCALAR, INT_FLOAT, FLOAT)},
    # Nor is a returned value converted, so each type is kept.
    SlotKind.RETURN: KEPT,
}


def legalize_scalar(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """bool, int, float, complex, str stay; numpy.float64 -> float, SymInt -> int.

    TorchScript converts the numpy and symbolic numbers on entry.
    """
    name = SCALARS.get(type.name)
    return Legal(TypeExpr(name)) if name else None


def legalize_numbers(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Union of numbers -> a number type with the same results: int, float -> Union[int, float] or float, ...

    One spelling each: members are in the order int, float, complex, bool.
    """
    if type.name != "Union":
        return None
    names = frozenset(SCALARS.get(member.name, "") for member in type.args)
    if not names <= set(NUMBERS):
        return None
    if len(names) == 1:
        return Legal(TypeExpr(next(iter(names))))
    if "complex" in names:
        exact = TypeExpr("Union", tuple(TypeExpr(name) for name in NUMBERS if name in names))
        choices = tuple(dict.fromkeys((SCALAR, exact, COMPLEX)))
    else:
        elsewhere = COMPUTED if context.element else ELSEWHERE.get(context.kind, {})
        choices = elsewhere.get(names) or CHOICES[names]
    return Legal(choices[0], alternatives=choices[1:])


def is_number(type: TypeExpr) -> bool:
    """Whether a legal type is a number or a Union of numbers."""
    return all(member.name in NUMBERS for member in type.members)
