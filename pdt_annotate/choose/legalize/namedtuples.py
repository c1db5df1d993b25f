"""A NamedTuple class -> its name; a collections.namedtuple class, whose fields have no types -> Tuple[...]."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.choose.legalize.dicts import KEYS
from pdt_annotate.choose.legalize.tuples import as_tuple
from pdt_annotate.values.slots import ClassInfo, ClassKind, Illegal, Legal
from pdt_annotate.values.types import TENSOR, TypeExpr

ARITY = {"Union": None, "tuple": None, "Optional": 1, "list": 1, "dict": 2}
"""Generics that a field may be annotated with, and how many arguments each needs (None: any number)."""

PLAIN = KEYS | {"None", "torch.Generator", "torch.Stream"}


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """One field with a type that TorchScript does not know makes the whole class illegal, whatever the field held."""
    info = context.info(type)
    if info is None or info.kind is not ClassKind.NAMEDTUPLE:
        return as_tuple(type, context) if "tuple" in type.bases else None
    if any(field is None for _, field in info.fields):
        return _legalize_untyped(type, context)
    for name, field in info.fields:
        if field is not None and not is_writable(field, without(info, context)):
            return Illegal("PDT022", type, f"its field {name!r} is annotated {field}, which TorchScript does not know")
    return Legal(TypeExpr(type.name))


def is_writable(type: TypeExpr, context: Context) -> bool:
    """Whether an annotation that the user wrote is legal as it stands; nothing translates it."""
    if type.name in ARITY:
        wanted = ARITY[type.name]
        fits = len(type.args) == wanted if wanted is not None else True
        keyed = type.name != "dict" or (fits and type.args[0].name in KEYS)
        return fits and keyed and all(is_writable(arg, context) for arg in type.args)
    if type.name in PLAIN or type.inherits(TENSOR.name):
        return True
    info = context.info(type)
    return info is not None and isinstance(context.legalize(type), Legal)


def without(info: ClassInfo, context: Context) -> Context:
    """The context in which the class is unknown: a NamedTuple that mentions itself has no TorchScript type."""
    return replace(context, classes={name: each for name, each in context.classes.items() if name != info.name})


def _legalize_untyped(type: TypeExpr, context: Context) -> LegalOrNot:
    """TorchScript takes an untyped field for a Tensor."""
    plain = as_tuple(type, context)
    if isinstance(plain, Illegal) or any(arg != TENSOR for arg in plain.type.args):
        return plain
    return Legal(TypeExpr(type.name), alternatives=(plain.type,))
