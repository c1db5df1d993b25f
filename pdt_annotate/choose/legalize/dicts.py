"""dict[K, V], OrderedDict[K, V], defaultdict[K, V] -> Dict[K, V], where K can be a key."""

from __future__ import annotations

from pdt_annotate.choose.legalize.compose import container
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal, Legal
from pdt_annotate.values.types import TENSOR, TypeExpr

KEYS = frozenset(
    {"int", "float", "bool", "complex", "str", TENSOR.name, "torch.device", "torch.dtype", "torch.qscheme"}
)
"""What the compiler takes for a key ("Cannot create dict for key type"); dtype and qscheme are ints to it."""


def is_dict(type: TypeExpr) -> bool:
    """Whether TorchScript takes the value for a Dict: a dict or a subclass of it."""
    return type.inherits("dict", "collections.OrderedDict", "collections.defaultdict")


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """The compiler does not know the names OrderedDict and defaultdict; it keeps the order of any dict."""
    if not is_dict(type):
        return None
    key, value = type.args
    return container("dict", [_legalize_key(key, context.inside()), context.inside().legalize(value)])


def _legalize_key(key: TypeExpr, context: Context) -> LegalOrNot:
    """The first of the legal types that can be a key: int and float keys become float."""
    result = context.legalize(key)
    if isinstance(result, Illegal):
        return Illegal("PDT016", key, f"a dict with keys of type {key} has no TorchScript type")
    fit = [each for each in (result.type, *result.alternatives) if each.name in KEYS]
    if result.guess or not fit:
        return Illegal("PDT016", key, f"TorchScript dicts have keys of one simple type, and {key} is none")
    return Legal(fit[0], rules=result.rules, alternatives=tuple(fit[1:]))
