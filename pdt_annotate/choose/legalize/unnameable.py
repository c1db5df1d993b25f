"""A class made inside a function -> illegal: no annotation in a file can name it. `script()` names it in memory."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import TypeExpr


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """The compiler looks names up in the function's globals ("Unknown type name")."""
    info = context.info(type)
    if info is None or info.importable:
        return None
    return Illegal("PDT017", type, f"{info.qualname} is not a module-level class, so an annotation cannot name it")
