"""An Enum class -> its name, where all its values are int, or all float, or all str."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import ClassKind, Illegal, Legal
from pdt_annotate.values.types import TypeExpr

VALUES = ("int", "float", "str")


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """An IntEnum may also go as int, and must where the code does arithmetic with it."""
    info = context.info(type)
    if info is None or info.kind is not ClassKind.ENUM:
        return None
    values = {field.name for _, field in info.fields if field is not None}
    if len(values) != 1 or not values <= set(VALUES):
        seen = ", ".join(sorted(values)) or "nothing"
        return Illegal("PDT021", type, f"its values are {seen}; TorchScript needs all int, all float or all str")
    return Legal(TypeExpr(type.name), alternatives=tuple(TypeExpr(name) for name in VALUES if name in info.bases))
