"""The calls that may be drawn: examples, each with the aspects in which drawn calls differ from it."""

import enum
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from pdt_annotate.processes.child.probes import argument_tree
from pdt_annotate.processes.child.probes.argument_tree import Fill, is_drawable, leaves, like, mapped
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


WIDE = 64  # bits of TorchScript's integers: shifts by this many bits, or by one less, show overflows
OTHER_TYPE = "type"  # the last part of the name of an aspect whose values have another type
LETTERS = "ab XYé9_"

Draw = Callable[[Any], "SearchStrategy[Any]"]


@dataclass(frozen=True)
class Dimension:
    """One aspect in which a call may differ from an example."""

    name: tuple[Any, ...]  # equal for the same aspect of another example
    telling: tuple[Any, ...]  # the values that most likely show a difference, the likeliest first
    put: Callable[[Call, Any], Call]  # returns the call with such a value
    draw: Draw | None = None  # takes hypothesis's strategies and returns one for further values; None without such


@dataclass(frozen=True)
class Knowledge:
    """Plausible values from the whole target: texts in its source, and whether modules hold parameters."""

    texts: tuple[str, ...] = ()
    is_module: bool = False
    has_parameters: bool = False
    training: bool = False


def aspects_of(call: Call, schema: Any, known: Knowledge) -> Iterator[Dimension]:
    """The aspects in which calls may differ from an example, the most informative first."""

    def aspect_at(spot: argument_tree.Spot, what: str, telling: Iterable[Any], draw: Draw | None = None) -> Dimension:
        def put(call: Call, new: Any) -> Call:
            return argument_tree.changed(call, spot.path, new)

        return Dimension((*spot.path, what), tuple(telling), put, draw)

    spots = list(argument_tree.spots_of(call, schema))
    for spot in spots:
        kind = type(spot.value)
        others = [each for each in _others(spot.type) if type(each) is not kind] if spot.type is not None else []
        if others:
            yield aspect_at(spot, OTHER_TYPE, others)
    yield from _left_out(call, schema)
    for spot in spots:
        found, kind = _other_values(spot.value, known), type(spot.value)
        if found is not None:
            telling, draw = found
            new = (each for each in telling if kind in (list, dict) or type(each) is not kind or each != spot.value)
            yield aspect_at(spot, kind.__name__, new, draw)
    yield from _sizes(call)
    if known.is_module and not call.mode:
        other = "eval" if known.training else "train"
        yield Dimension(("mode",), (other,), lambda call, mode: replace(call, mode=mode))
    yield from _fills(call, known)


def _others(type_: Any) -> Iterator[Any]:
    """One or two values of each scalar type in a type of the compiler, which the compiled function takes."""
    if is_a(type_, torch.OptionalType):
        yield None
        yield from _others(type_.getElementType())
    elif is_a(type_, torch.UnionType):
        for each in type_.containedTypes():
            yield from _others(each)
    else:
        yield from SCALARS.get(type_.kind(), ())


SCALARS: dict[str, tuple[Any, ...]] = {
    "NoneType": (None,),
    "IntType": (2,),
    "FloatType": (2, 2.5),  # an int is converted on entry
    "NumberType": (2, 2.5),
    "BoolType": (True,),
    "StringType": ("abc",),
}


def _left_out(call: Call, schema: Any) -> Iterator[Dimension]:
    arguments = [each for each in schema.arguments if each.name != "self"] if schema is not None else []
    defaults = {each.name for each in arguments if each.has_default_value()}
    for name in call.kwargs:
        if name in defaults:
            yield Dimension(
                ("without", name),
                ((name,),),
                lambda call, out: replace(call, kwargs={k: v for k, v in call.kwargs.items() if k not in out}),
            )
    last = len(call.args) - 1
    if 0 <= last < len(arguments) and arguments[last].name in defaults:
        yield Dimension(("without", last), (None,), lambda call, _: replace(call, args=call.args[:last]))


def _other_values(value: Any, known: Knowledge) -> tuple[Iterable[Any], Draw | None] | None:
    """Values of the same type, and hypothesis's strategy for further ones; None for types that are not varied."""
    if is_a(value, bool):
        return [not value], None
    if is_a(value, enum.Enum):
        return [each for each in type(value) if each is not value], None
    if type(value) is int:
        low, high = -2 * max(abs(value), 2), max(WIDE, 8 * abs(value))
        telling = dict.fromkeys((WIDE - 1, 0, -1, value + 1, WIDE, 1, -max(abs(value), 2), high))
        return telling, lambda strategies: strategies.integers(low, high)
    if type(value) is float:
        top = max(8 * abs(value), 16.0) if math.isfinite(value) else 16.0
        floats = dict.fromkeys((0.0, -0.5, 2.0, math.nan, 1e-7, 1234567.5, math.inf, -value, 1e30))
        return floats, lambda strategies: strategies.floats(-top, top, width=32)
    if type(value) is str:
        texts = dict.fromkeys(("", value + " b", "é", value.upper(), "a", *known.texts))
        return texts, lambda strategies: strategies.text(LETTERS, max_size=len(value) + 4)
    if type(value) is list:
        longer = [[], value[:-1], [*value, *value[-1:]], value * 3] if value else []
        sizes = 2 * len(value) + 2
        return longer, lambda strategies: strategies.integers(0, sizes).map(lambda size: (value * 4)[:size])
    if type(value) is not dict:
        return None
    if not value:
        return [], None
    keys = list(value)
    last = keys[-1]
    fresh: Any = {str: "further", int: 7}.get(type(last))
    more = [{**value, fresh: value[last]}] if fresh is not None and fresh not in value else []
    backwards = [{key: value[key] for key in reversed(keys)}] if len(keys) > 1 else []
    return [{}, {key: value[key] for key in keys[:-1]}, *more, *backwards], None


def _sizes(call: Call) -> Iterator[Dimension]:
    """A size that several dimensions share, changed in all of them; the values are drawn again."""
    tensors = [each for each in leaves(call) if is_drawable(each)]
    for size in dict.fromkeys(size for tensor in tensors for size in tensor.shape):

        def put(call: Call, new: int, size: int = size) -> Call:
            return _refilled(call, lambda shape: tuple(new if each == size else each for each in shape))

        def draw(strategies: Any, size: int = size) -> "SearchStrategy[int]":
            return strategies.integers(1, 2 * size + 2)  # type: ignore[no-any-return]

        telling = dict.fromkeys((1, size + 1, 2 * size, max(size - 1, 1)))
        yield Dimension(("size", size), tuple(new for new in telling if new != size), put, draw)


def _refilled(call: Call, resize: Callable[[tuple[int, ...]], tuple[int, ...]] = tuple) -> Call:
    """The call with other tensors, even if their shapes stay the same."""
    seeds = iter(range(1, 1 << 16))

    def refill(value: Any) -> Any:
        return like(value, resize(tuple(value.shape)), next(seeds)) if is_drawable(value) else value

    return mapped(refill, call)


def _fills(call: Call, known: Knowledge) -> Iterator[Dimension]:
    """Other values in all tensors: random ones, zeros, nan; another dtype; gradients."""
    tensors = [each for each in leaves(call) if is_drawable(each)]
    if not tensors:
        return
    yield Dimension(("fill",), ("fresh", "zeros"), _fill)
    floating = any(each.is_floating_point() for each in tensors)
    if not (floating and known.has_parameters):
        dtypes = (torch.float64, torch.float16) if floating else (torch.int32, torch.int64)
        yield Dimension(("dtype",), dtypes, lambda call, new: _with_fills(call, floating, dtype=new))
    if floating:
        yield Dimension(("gradient",), (True,), lambda call, asked: _with_fills(call, True, requires_grad=asked))
        yield Dimension(("fill",), ("nan",), _fill)


def _fill(call: Call, how: str) -> Call:
    fresh = _refilled(call)
    return fresh if how == "fresh" else mapped(lambda value: refill(value, how), fresh)


def refill(value: Any, how: str) -> Any:
    """A drawn tensor with one value everywhere, if its dtype and range include that value."""
    if not is_a(value, Fill) or (how == "nan" and not value.dtype.is_floating_point):
        return value
    low = how == "zeros" and value.how == "randint" and not value.low <= 0 <= value.high
    return value if low else replace(value, how=how)


def _with_fills(call: Call, floating: bool, **changes: Any) -> Call:
    """The call with other tensors, and with changes to either the floating or the integer ones."""

    def change(value: Any) -> Any:
        is_meant = is_a(value, Fill) and value.dtype is not torch.bool and value.dtype.is_floating_point == floating
        return replace(value, **changes) if is_meant else value

    return mapped(change, _refilled(call))


@dataclass(frozen=True)
class Base:
    """An example call, with the calls that must come before it on the same object."""

    call: Call
    before: tuple[Call, ...] = ()
    aspects: tuple[Dimension, ...] = ()


@dataclass(frozen=True)
class Variation:
    """A drawn call: the number of its base, values for some of its aspects by number, a fill for all tensors or ""."""

    base: int
    values: tuple[tuple[int, Any], ...] = ()
    plain: str = ""


@dataclass(frozen=True)
class Space:
    bases: tuple[Base, ...]

    def telling(self) -> Iterator[Variation]:
        """The drafts that most likely differ: the first value of each aspect, then the second values, and so on."""
        for index, base in enumerate(self.bases):
            if base.before:
                yield Variation(index)
        columns: dict[tuple[Any, ...], list[Variation]] = {}
        for index, base in enumerate(self.bases):
            for number, aspect in enumerate(base.aspects):
                key = (base.call.method, id(base.call.callee), *aspect.name, repr(aspect.telling))
                columns.setdefault(key, [Variation(index, ((number, value),)) for value in aspect.telling])
        for row in itertools.zip_longest(*columns.values()):
            yield from filter(None, row)

    def calls_of(self, draft: Variation) -> tuple[Call, ...]:
        """The calls to make, the drawn one last; drawn tensors are not made yet."""
        base = self.bases[draft.base]
        call = base.call
        for number, value in draft.values:
            call = base.aspects[number].put(call, value)
        if not draft.plain:
            return (*base.before, call)
        drawn = mapped(lambda value: like(value, tuple(value.shape), 0) if is_drawable(value) else value, call)
        return (*base.before, mapped(lambda value: refill(value, draft.plain), drawn))


def draws_endless(draft: Variation) -> bool:
    """Whether a nan or a float of 2**63 or more is drawn. Nobody passes these on purpose, so they refuse no target."""
    return any(value == "nan" or (is_a(value, float) and not abs(value) < 2**63) for _, value in draft.values)


def make(call: Call, device: str) -> Call:
    return mapped(lambda value: value.make(device) if is_a(value, Fill) else value, call)
