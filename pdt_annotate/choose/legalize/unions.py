"""Union[A, B] -> Union of the legal members, without those that another member covers."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.choose.legalize.compose import compose
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.choose.legalize.subtypes import drop_covered
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import TypeExpr, union


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Most bodies can use a Union only behind an isinstance; whether this one does is for the verifier to find out."""
    return legalize_members(type, context) if type.name == "Union" else None


def legalize_members(type: TypeExpr, context: Context) -> LegalOrNot:
    """Members that are legal only as other types may make a Union that another rule knows better."""
    result = compose(lambda types: drop_covered(union(*types), context), [context.legalize(arg) for arg in type.args])
    if isinstance(result, Illegal) or result.type == type or set(result.type.args) == set(type.args):
        return result
    again = context.legalize(result.type)
    return again if isinstance(again, Illegal) else replace(again, guess=again.guess or result.guess)
