"""The calls that may be drawn: examples, each with the respects in which others differ from it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.processes.child.probes.aspects import OTHER_TYPE, Aspect, refill
from pdt_annotate.processes.child.probes.tree import Fill, is_drawable, like, mapped
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call


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
        columns = [[Variation(i, ((n, value),)) for value in aspect.telling] for i, n, aspect in self._aspects()]
        for row in itertools.zip_longest(*columns):
            yield from filter(None, row)

    def _aspects(self) -> Iterator[tuple[int, int, Aspect]]:
        """The aspects by number, those of one name once."""
        known: set[tuple[Any, ...]] = set()
        for index, base in enumerate(self.bases):
            for number, aspect in enumerate(base.aspects):
                key = (base.call.method, id(base.call.callee), *aspect.name, repr(aspect.telling))
                if key not in known:
                    known.add(key)
                    yield index, number, aspect

    def calls_of(self, draft: Variation) -> tuple[Call, ...]:
        """The calls to make, the drawn one last; what is drawn of tensors is not made yet."""
        base = self.bases[draft.base]
        call = base.call
        for number, value in draft.values:
            call = base.aspects[number].put(call, value)
        return (*base.before, mapped(lambda value: _plain(value, draft.plain), call) if draft.plain else call)

    def is_int_for_float(self, draft: Variation) -> bool:
        """Whether an int is passed where the compiler takes another type as well."""
        aspects = self.bases[draft.base].aspects
        return any(aspects[number].name[-1] == OTHER_TYPE and type(value) is int for number, value in draft.values)


def _plain(value: Any, how: str) -> Any:
    if is_a(value, torch.Tensor) and is_drawable(value):
        value = like(value, tuple(value.shape), 0)
    return refill(value, how) if is_a(value, Fill) else value


def draws_endless(draft: Variation) -> bool:
    """Whether a nan or a float beyond 64 bit is drawn, which nobody passes on purpose: it refuses no target."""
    return any(value == "nan" or (is_a(value, float) and not abs(value) < 2**63) for _, value in draft.values)


def make(call: Call, device: str) -> Call:
    """The call with its tensors."""
    return mapped(lambda value: value.make(device) if is_a(value, Fill) else value, call)
