"""list[T], deque[T] -> List[T]."""

from __future__ import annotations

from pdt_annotate.choose.legalize.compose import container
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.types import TypeExpr


def is_list(type: TypeExpr) -> bool:
    """Whether TorchScript takes the value for a List: a list, a subclass of it, or a deque (which it copies)."""
    return type.inherits("list", "collections.deque")


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """TorchScript copies the list on entry; its caller does not see what is appended."""
    if not is_list(type):
        return None
    return container("list", [context.inside().legalize(element) for element in type.args])
