"""Lists, dicts and tuples, empty ones, and several of them in one slot."""

from collections.abc import Mapping
from dataclasses import replace

from pdt_annotate.choose.legalize.numbers import is_number
from pdt_annotate.choose.legalize.rule_context import Context, LegalOrNot, container, distinct
from pdt_annotate.choose.legalize.torch_values import INTS, SIZE
from pdt_annotate.choose.legalize.unions import legalize_members
from pdt_annotate.values.slots import Illegal, Legal
from pdt_annotate.values.types import FLOAT, INT, STR, TENSOR, TypeExpr, union

# Types that the compiler accepts as a key ("Cannot create dict for key type"); dtype and qscheme are ints to it.
KEYS = {"int", "float", "bool", "complex", "str", TENSOR.name, "torch.device", "torch.dtype", "torch.qscheme"}
# The arguments to try; the first is the guess.
LIKELY: Mapping[str, tuple[tuple[TypeExpr, ...], ...]] = {
    "list": ((TENSOR,), (INT,), (FLOAT,), (STR,)),
    "dict": ((STR, TENSOR), (STR, INT), (STR, FLOAT), (STR, STR), (INT, TENSOR)),
}


def is_list(type: TypeExpr) -> bool:
    """Whether TorchScript takes the value for a List: a list, a subclass of it, or a deque (which it copies)."""
    return type.inherits("list", "collections.deque")


def legalize_list(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """list[T], deque[T] -> List[T].

    TorchScript copies the list on entry; its caller does not see elements that are appended.
    """
    if not is_list(type):
        return None
    return container("list", [context.inside().legalize(element) for element in type.args])


def is_dict(type: TypeExpr) -> bool:
    """Whether TorchScript takes the value for a Dict: a dict or a subclass of it."""
    return type.inherits("dict", "collections.OrderedDict", "collections.defaultdict")


def legalize_dict(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """dict[K, V], OrderedDict[K, V], defaultdict[K, V] -> Dict[K, V], where K can be a key.

    The compiler does not know the names OrderedDict and defaultdict; it keeps the order of any dict.
    """
    if not is_dict(type):
        return None
    key, value = type.args
    return container("dict", [_legalize_key(key, context.inside()), context.inside().legalize(value)])


def _legalize_key(key: TypeExpr, context: Context) -> LegalOrNot:
    """The first legal type that can be a key: int and float keys become float."""
    result = context.legalize(key)
    if isinstance(result, Illegal):
        return Illegal("PDT016", key, f"a dict with keys of type {key} has no TorchScript type")
    fit = [each for each in (result.type, *result.alternatives) if each.name in KEYS]
    if result.guess or not fit:
        reason = f"all keys of a TorchScript dict have the same simple type, and {key} is no simple type"
        return Illegal("PDT016", key, reason)
    return Legal(fit[0], rules=result.rules, alternatives=tuple(fit[1:]))


def legalize_empty(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """An empty list or dict -> List[Tensor], Dict[str, Tensor], a guess: TorchScript's own default for [] and {}.

    Only a container that was never seen with an element; one filled elsewhere is joined before it comes here.
    """
    if type.args or not (is_list(type) or is_dict(type)):
        return None
    name = "list" if is_list(type) else "dict"
    guess, *others = (TypeExpr(name, args) for args in LIKELY[name])
    return Legal(guess, alternatives=tuple(others), guess=True)


def legalize_tuple(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """tuple[A, B] -> Tuple[A, B]; torch.return_types.max[A, B] -> Tuple[A, B]; if A is B, List[A] is an alternative.

    A List also takes the values that scripted callers pass for `x.shape` or `x.chunk(2)`, and any length.
    """
    if type.name != "tuple" and not type.name.startswith("torch.return_types."):
        return None
    result = as_tuple(type, context)
    if isinstance(result, Illegal) or len(set(result.type.args)) != 1:
        return result
    as_list = TypeExpr("list", result.type.args[:1])
    return replace(result, alternatives=distinct(result.type, (as_list, *result.alternatives)))


def as_tuple(type: TypeExpr, context: Context) -> LegalOrNot:
    """The plain Tuple of a tuple's or namedtuple's elements, for access by position."""
    return container("tuple", [context.legalize(element) for element in type.args])


def legalize_sequences(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Lists and tuples of several lengths -> List[T] as a parameter or attribute; as a return or local, their Union.

    TorchScript makes a List of a tuple on entry only, and `len` of a Union of Tuples is 1 for any value.
    """
    members = type.args if type.name == "Union" else ()
    if len(members) < 2 or not all(is_list(member) or member.name in ("tuple", SIZE) for member in members):
        return None
    elements = [arg for member in members for arg in (INTS if member.name == SIZE else member).args]
    like = TypeExpr("list", (union(*elements),) if elements else ())
    as_list = context.legalize(like)
    filled = (member if member.args or not is_list(member) else like for member in members)
    exact = legalize_members(union(*filled), context)
    if isinstance(exact, Illegal) or isinstance(as_list, Illegal):
        return exact
    element = as_list.type.args[0]
    inner = element.args[0] if element.name == "Optional" else element
    is_uniform = inner.name != "Union" or is_number(inner)  # one type or numbers, maybe with None
    first, second = (as_list, exact) if context.converts and is_uniform else (exact, as_list)
    others = distinct(first.type, (second.type, *first.alternatives))
    return replace(first, rules=tuple(dict.fromkeys((*first.rules, *second.rules))), alternatives=others)
