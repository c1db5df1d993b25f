"""What the examples show of types that the source does not say: missing annotations, and results of functions."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.source.places import Places
from pdt_annotate.values.slots import Annotation, Owner, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure, Fault

NOT_ANNOTATED = "PDT039"

KNOWN = {
    **{name: name for name in ("Optional", "Union", "Any", "None", "int", "float", "bool", "str", "complex")},
    **{"list": "List", "dict": "Dict", "tuple": "Tuple", "torch.Tensor": "Tensor"},
}
"""Types that the compiler resolves in every file, whatever that imports, as they are written."""

Types = Mapping[Owner, tuple[Annotation, ...]]
"""By function, what is known of its parameters without annotation on disk, and of its result."""


def missing_annotations(owner: Owner, known: tuple[Annotation, ...]) -> Fault | None:
    """The parameters of a function that have no annotation on disk and are no Tensor."""
    wanted = {a.slot.name: a.type for a in known if a.slot.kind is SlotKind.PARAMETER and a.type != TENSOR}
    if not wanted:
        return None
    listed = ", ".join(f"{name}: {type_}" for name, type_ in wanted.items())
    return Fault(NOT_ANNOTATED, Failure(f"{owner.qualname}({listed})", "", Places().of(owner)), owner)


def result_type(known: tuple[Annotation, ...]) -> str:
    """Source text for the type of a function's result; "" where it is not known, or not every file can name it."""
    return next((_spell(a.type) for a in known if a.slot.kind is SlotKind.RETURN), "")


def _spell(type_: TypeExpr) -> str:
    names: set[str] = set()

    def name(dotted: str) -> str:
        names.add(dotted)
        return KNOWN.get(dotted, dotted)

    text = type_.spell(name)
    return text if names <= KNOWN.keys() else ""
