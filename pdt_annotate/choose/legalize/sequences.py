"""Lists and tuples of several lengths -> List[T] as a parameter or attribute; as a return or local, their Union."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.choose.legalize.compose import distinct
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.choose.legalize.lists import is_list
from pdt_annotate.choose.legalize.numbers import is_number
from pdt_annotate.choose.legalize.size import INTS, NAME
from pdt_annotate.choose.legalize.unions import legalize_members
from pdt_annotate.values.slots import Illegal, Legal
from pdt_annotate.values.types import TypeExpr, union


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """TorchScript makes a List of a tuple on entry only, and `len` of a Union of Tuples is 1 whatever it holds."""
    members = type.args if type.name == "Union" else ()
    if len(members) < 2 or not all(map(_is_sequence, members)):
        return None
    elements = [arg for member in members for arg in (INTS if member.name == NAME else member).args]
    like = TypeExpr("list", (union(*elements),) if elements else ())
    as_list = context.legalize(like)
    exact = legalize_members(union(*(like if _is_empty_list(member) else member for member in members)), context)
    if isinstance(exact, Illegal) or isinstance(as_list, Illegal):
        return exact
    if context.converts and _is_uniform(as_list.type.args[0]):
        return _prefer(as_list, exact)
    return _prefer(exact, as_list)


def _prefer(first: Legal, second: Legal) -> Legal:
    others = distinct(first.type, (second.type, *first.alternatives))
    return replace(first, rules=tuple(dict.fromkeys((*first.rules, *second.rules))), alternatives=others)


def _is_sequence(type: TypeExpr) -> bool:
    return is_list(type) or type.name in ("tuple", NAME)


def _is_empty_list(type: TypeExpr) -> bool:
    return is_list(type) and not type.args


def _is_uniform(element: TypeExpr) -> bool:
    """Whether the elements are of one type, or numbers, or one of these and None."""
    inner = element.args[0] if element.name == "Optional" else element
    return inner.name != "Union" or is_number(inner)
