"""Drafts by hypothesis: further ones beside those that tell most, and the smallest that still differs.

It draws the same every time, and keeps nothing.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration, strategies
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from pdt_annotate.processes.child.probes.space import Draft, Space

TOGETHER = 3
"""So many respects at most in which one call differs from its example."""

configuration.set_hypothesis_home_dir(os.devnull)  # a directory nothing can be written in


def _settings(count: int, *phases: Phase) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=count,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=not phases or Phase.shrink not in phases,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )


def draw_drafts(space: Space, count: int) -> list[Draft]:
    """So many drafts at most, each of several respects."""
    drawn: dict[str, Draft] = {}

    @_settings(count, Phase.generate)
    @hypothesis.given(drafts_of(space))
    def note(draft: Draft) -> None:
        drawn.setdefault(repr(draft), draft)

    with suppress(HypothesisException):
        note()
    return list(drawn.values())


def drafts_of(space: Space) -> SearchStrategy[Draft]:
    """A strategy for drafts of any base."""

    @strategies.composite
    def draft(draw: Callable[[SearchStrategy[Any]], Any]) -> Draft:
        bases = [index for index, base in enumerate(space.bases) if base.aspects]
        index = draw(strategies.sampled_from(bases))
        numbers = strategies.integers(0, len(space.bases[index].aspects) - 1)
        chosen = draw(strategies.lists(numbers, min_size=1, max_size=TOGETHER, unique=True))
        return Draft(index, tuple((number, draw(_values(space, index, number))) for number in sorted(chosen)))

    return draft() if any(base.aspects for base in space.bases) else strategies.nothing()


def _values(space: Space, base: int, number: int) -> SearchStrategy[Any]:
    aspect = space.bases[base].aspects[number]
    telling: SearchStrategy[Any] = strategies.sampled_from(aspect.telling) if aspect.telling else strategies.nothing()
    return aspect.draw() | telling if aspect.draw else telling


def shrink(space: Space, draft: Draft, differs: Callable[[Draft], bool], count: int) -> Draft:
    """The smallest variation of a draft that differs: fewer respects, smaller values, plainer tensors."""
    smallest = [draft]

    def note(smaller: Draft) -> bool:
        if not differs(smaller):
            return False
        smallest[0] = smaller
        return True

    with suppress(HypothesisException):
        hypothesis.find(
            _smaller(space, draft),
            note,
            settings=_settings(count, Phase.generate, Phase.shrink),
            random=random.Random(0),
        )
    return smallest[0]


def _smaller(space: Space, draft: Draft) -> SearchStrategy[Draft]:
    """Drafts that are like one or smaller; hypothesis begins with the smallest, and comes to the draft itself."""

    @strategies.composite
    def smaller(draw: Callable[[SearchStrategy[Any]], Any]) -> Draft:
        plain = draw(strategies.sampled_from(("zeros", "ones", draft.plain)))
        if draw(strategies.booleans()):
            return replace(draft, plain=plain)
        kept = [each for each in draft.values if len(draft.values) == 1 or draw(strategies.booleans())]
        values = ((number, draw(_values(space, draft.base, number) | strategies.just(old))) for number, old in kept)
        return Draft(draft.base, tuple(values), plain)

    return smaller()
