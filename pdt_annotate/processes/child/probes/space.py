"""The calls that may be drawn: examples, each with the respects in which others differ from it."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from pdt_annotate.processes.child.probes.tree import Fill, Spot, changed, is_drawable, leaves, like, mapped, spots_of
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


WIDE = 64  # bits of TorchScript's integers: to shift by so many, or by one less, tells
OTHER_TYPE = "type"  # names the aspect of values of another type
LETTERS = "ab XYé9_"

Draw = Callable[[Any], "SearchStrategy[Any]"]


@dataclass(frozen=True)
class Aspect:
    """One respect in which a call may differ from an example.

    Args:
        name: the same for the same respect of another example.
        telling: values that tell most, the first ones most of all.
        put: the call with such a value.
        draw: given hypothesis's strategies, one for further values; None if there are none.
    """

    name: tuple[Any, ...]
    telling: tuple[Any, ...]
    put: Callable[[Call, Any], Call]
    draw: Draw | None = None


@dataclass(frozen=True)
class Knowledge:
    """Plausible values from the whole target: texts in its source, and whether modules hold parameters."""

    texts: tuple[str, ...] = ()
    is_module: bool = False
    has_parameters: bool = False
    training: bool = False


def aspects_of(call: Call, schema: Any, known: Knowledge) -> Iterator[Aspect]:
    """The dimensions in which calls may differ from an example, the most informative first."""
    spots = list(spots_of(call, schema))
    for spot in spots:
        yield from _types(spot)
    yield from _left_out(call, schema)
    for spot in spots:
        yield from _values(spot, known)
    yield from _sizes(call)
    if known.is_module and not call.mode:
        other = "eval" if known.training else "train"
        yield Aspect(("mode",), (other,), lambda call, mode: replace(call, mode=mode))
    yield from _fills(call, known)


def _at(spot: Spot, what: str, telling: Iterable[Any], draw: Draw | None) -> Aspect:
    return Aspect((*spot.path, what), tuple(telling), lambda call, new: changed(call, spot.path, new), draw)


def _types(spot: Spot) -> Iterator[Aspect]:
    """Values of the other types that the compiled function takes."""
    if spot.type is None:
        return
    others = [each for each in _others(spot.type) if type(each) is not type(spot.value)]
    if others:
        yield _at(spot, OTHER_TYPE, others, None)


def _others(type_: Any) -> Iterator[Any]:
    """One or two values of each scalar type in a type of the compiler."""
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
    "FloatType": (2, 2.5),  # an int is converted at the entry
    "NumberType": (2, 2.5),
    "BoolType": (True,),
    "StringType": ("abc",),
}


def _left_out(call: Call, schema: Any) -> Iterator[Aspect]:
    """Arguments that have a default, left to it."""
    arguments = [each for each in schema.arguments if each.name != "self"] if schema is not None else []
    defaults = {each.name for each in arguments if each.has_default_value()}
    for name in call.kwargs:
        if name in defaults:

            def leave_out(call: Call, _: Any, name: str = name) -> Call:
                return replace(call, kwargs={key: value for key, value in call.kwargs.items() if key != name})

            yield Aspect(("without", name), (None,), leave_out)
    last = len(call.args) - 1
    if 0 <= last < len(arguments) and arguments[last].name in defaults:
        yield Aspect(("without", last), (None,), lambda call, _: replace(call, args=call.args[:last]))


def _values(spot: Spot, known: Knowledge) -> Iterator[Aspect]:
    """Other values of the type that it has."""
    value = spot.value
    if is_a(value, bool):
        yield _at(spot, "bool", [not value], None)
    elif is_a(value, enum.Enum):
        yield _at(spot, "member", [each for each in type(value) if each is not value], None)
    elif type(value) in VALUES:
        telling, draw = VALUES[type(value)](value, known)
        others = (each for each in telling if is_a(each, list, dict) or type(each) is not type(value) or each != value)
        yield _at(spot, type(value).__name__, others, draw)


Drawable = tuple[Iterable[Any], Draw | None]


def _ints(value: int, known: Knowledge) -> Drawable:
    low, high = -2 * max(abs(value), 2), max(WIDE, 8 * abs(value))
    telling = dict.fromkeys((WIDE - 1, 0, -1, value + 1, WIDE, 1, -max(abs(value), 2), high))
    return telling, lambda strategies: strategies.integers(low, high)


def _floats(value: float, known: Knowledge) -> Drawable:
    high = max(8 * abs(value), 16.0) if math.isfinite(value) else 16.0
    telling = dict.fromkeys((0.0, -0.5, 2.0, math.nan, 1e-7, 1234567.5, math.inf, -value, 1e30))
    return telling, lambda strategies: strategies.floats(-high, high, width=32)


def _texts(value: str, known: Knowledge) -> Drawable:
    telling = dict.fromkeys(("", value + " b", "é", value.upper(), "a", *known.texts))
    return telling, lambda strategies: strategies.text(LETTERS, max_size=len(value) + 4)


def _lists(value: list[Any], known: Knowledge) -> Drawable:
    def draw(strategies: Any) -> SearchStrategy[list[Any]]:
        sizes: SearchStrategy[int] = strategies.integers(0, 2 * len(value) + 2)
        return sizes.map(lambda size: (value * 4)[:size] if value else [])

    return [[], value[:-1], [*value, *value[-1:]], value * 3][: None if value else 0], draw


def _dicts(value: dict[Any, Any], known: Knowledge) -> Drawable:
    keys = list(value)
    if not keys:
        return (), None
    last = keys[-1]
    fresh: Any = {str: "further", int: 7}.get(type(last))
    more = [{**value, fresh: value[last]}] if fresh is not None and fresh not in value else []
    backwards = [{key: value[key] for key in reversed(keys)}] if len(keys) > 1 else []
    return [{}, {key: value[key] for key in keys[:-1]}, *more, *backwards], None


VALUES: dict[type, Callable[[Any, Knowledge], Drawable]] = {
    int: _ints,
    float: _floats,
    str: _texts,
    list: _lists,
    dict: _dicts,
}


def _sizes(call: Call) -> Iterator[Aspect]:
    """A size that several dimensions share, changed in all of them together; the values are drawn again."""
    tensors = [each for each in leaves(call) if is_a(each, torch.Tensor) and is_drawable(each)]
    for size in dict.fromkeys(size for tensor in tensors for size in tensor.shape):

        def put(call: Call, new: int, size: int = size) -> Call:
            return _refilled(call, lambda shape: tuple(new if each == size else each for each in shape))

        def draw(strategies: Any, size: int = size) -> SearchStrategy[int]:
            return strategies.integers(1, 2 * size + 2)  # type: ignore[no-any-return]

        telling = dict.fromkeys((1, size + 1, 2 * size, max(size - 1, 1)))
        yield Aspect(("size", size), tuple(new for new in telling if new != size), put, draw)


def _refilled(call: Call, resize: Callable[[tuple[int, ...]], tuple[int, ...]] = tuple) -> Call:
    """The call with other tensors of these shapes, those whose shape stays included."""
    seeds = iter(range(1, 1 << 16))

    def refill(value: Any) -> Any:
        if not (is_a(value, torch.Tensor) and is_drawable(value)):
            return value
        return like(value, resize(tuple(value.shape)), next(seeds))

    return mapped(refill, call)


def _fills(call: Call, known: Knowledge) -> Iterator[Aspect]:
    """Other values in all tensors: random ones, zeros, a nan; another dtype; gradients asked for."""
    tensors = [each for each in leaves(call) if is_a(each, torch.Tensor) and is_drawable(each)]
    if not tensors:
        return
    yield Aspect(("fill",), ("fresh", "zeros"), _fill)
    floating = any(each.is_floating_point() for each in tensors)
    if floating and not known.has_parameters:
        dtypes = (torch.float64, torch.float16)
        yield Aspect(("dtype",), dtypes, lambda call, new: _with_fills(call, True, dtype=new))
    if not floating:
        dtypes = (torch.int32, torch.int64)
        yield Aspect(("dtype",), dtypes, lambda call, new: _with_fills(call, False, dtype=new))
    if floating:
        yield Aspect(("gradient",), (True,), lambda call, asked: _with_fills(call, True, requires_grad=asked))
        yield Aspect(("fill",), ("nan",), _fill)


def _fill(call: Call, how: str) -> Call:
    fresh = _refilled(call)
    return fresh if how == "fresh" else mapped(lambda value: refill(value, how), fresh)


def refill(value: Any, how: str) -> Any:
    """A tensor that is drawn, with one value everywhere; no nan where there is none."""
    if not is_a(value, Fill) or (how == "nan" and not value.dtype.is_floating_point):
        return value
    low = how == "zeros" and value.how == "randint" and not value.low <= 0 <= value.high
    return value if low else replace(value, how=how)


def _with_fills(call: Call, floating: bool, **changes: Any) -> Call:
    """The call with other tensors, those of floating values changed, or those of integers."""

    def change(value: Any) -> Any:
        is_meant = is_a(value, Fill) and value.dtype is not torch.bool and value.dtype.is_floating_point == floating
        return replace(value, **changes) if is_meant else value

    return mapped(change, _refilled(call))


@dataclass(frozen=True)
class Base:
    """An example call, with the calls that have to come before it on the same object."""

    call: Call
    before: tuple[Call, ...] = ()
    aspects: tuple[Aspect, ...] = ()


@dataclass(frozen=True)
class Variation:
    """A call that is drawn: of which base, the values for some of its aspects by number, and what replaces tensors.

    `plain` is a fill for all tensors, "" for those that there are. It holds no function, so it crosses processes.
    """

    base: int
    values: tuple[tuple[int, Any], ...] = ()
    plain: str = ""


@dataclass(frozen=True)
class Space:
    """All calls that may be drawn."""

    bases: tuple[Base, ...]

    def telling(self) -> Iterator[Variation]:
        """The drafts that tell most, in their order: first the most telling value of each aspect, then the second."""
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
        """The calls to make, the drawn one last; what is drawn of tensors is not made yet."""
        base = self.bases[draft.base]
        call = base.call
        for number, value in draft.values:
            call = base.aspects[number].put(call, value)
        if not draft.plain:
            return (*base.before, call)

        def make_plain(value: Any) -> Any:
            drawn = is_a(value, torch.Tensor) and is_drawable(value)
            return refill(like(value, tuple(value.shape), 0) if drawn else value, draft.plain)

        return (*base.before, mapped(make_plain, call))

    def is_int_for_float(self, draft: Variation) -> bool:
        """Whether an int is passed where the compiler takes another type as well."""
        aspects = self.bases[draft.base].aspects
        return any(aspects[number].name[-1] == OTHER_TYPE and type(value) is int for number, value in draft.values)


def draws_endless(draft: Variation) -> bool:
    """Whether a nan or a float beyond 64 bit is drawn, which nobody passes on purpose: it refuses no target."""
    return any(value == "nan" or (is_a(value, float) and not abs(value) < 2**63) for _, value in draft.values)


def make(call: Call, device: str) -> Call:
    """The call with its tensors."""
    return mapped(lambda value: value.make(device) if is_a(value, Fill) else value, call)
