"""An empty list or dict -> List[Tensor], Dict[str, Tensor], a guess: TorchScript's own default for [] and {}."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.choose.legalize.dicts import is_dict
from pdt_annotate.choose.legalize.lists import is_list
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TENSOR, TypeExpr

INT, FLOAT, STR = TypeExpr("int"), TypeExpr("float"), TypeExpr("str")

LIKELY: Mapping[str, tuple[tuple[TypeExpr, ...], ...]] = {
    "list": ((TENSOR,), (INT,), (FLOAT,), (STR,)),
    "dict": ((STR, TENSOR), (STR, INT), (STR, FLOAT), (STR, STR), (INT, TENSOR)),
}
"""The arguments to try, the first being the guess."""


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Only a container that was never seen with an element; one filled elsewhere is joined before it comes here."""
    if type.args or not (is_list(type) or is_dict(type)):
        return None
    name = "list" if is_list(type) else "dict"
    guess, *others = (TypeExpr(name, args) for args in LIKELY[name])
    return Legal(guess, alternatives=tuple(others), guess=True)
