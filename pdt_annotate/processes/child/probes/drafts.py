"""Drafts of drawn calls, by hypothesis: random ones, and the smallest that still differs; the same in every run."""

import itertools
import os
import random
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration, strategies
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from pdt_annotate.processes.child.probes.space import Space, Variation

TOGETHER = 3  # the most aspects in which one call differs from its example

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


def read_constants_in(modules: Collection[str]) -> None:
    """Of the project's modules read these alone: hypothesis also draws the constants that it finds in source."""
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")  # of newer versions of hypothesis
    read: set[int] = getattr(providers, "_seen_modules", set())
    read.update(id(module) for name, module in list(sys.modules.items()) if name not in modules)


def draw_drafts(space: Space, count: int) -> list[Variation]:
    """At most `count` drafts, each with several aspects."""
    drawn: dict[str, Variation] = {}
    if not any(base.aspects for base in space.bases):
        return []

    @_settings(count, Phase.generate)
    @hypothesis.given(drafts_of(space))
    def note(draft: Variation) -> None:
        drawn.setdefault(repr(draft), draft)

    with suppress(HypothesisException):
        note()
    return list(drawn.values())


@strategies.composite
def drafts_of(draw: Callable[[SearchStrategy[Any]], Any], space: Space) -> Variation:
    bases = [index for index, base in enumerate(space.bases) if base.aspects]
    index = draw(strategies.sampled_from(bases))
    numbers = strategies.integers(0, len(space.bases[index].aspects) - 1)
    chosen = draw(strategies.lists(numbers, min_size=1, max_size=TOGETHER, unique=True))
    values = []
    for number in sorted(chosen):
        aspect = space.bases[index].aspects[number]
        telling = strategies.sampled_from(aspect.telling) if aspect.telling else strategies.nothing()
        values.append((number, draw(aspect.draw(strategies) | telling if aspect.draw else telling)))
    return Variation(index, tuple(values))


def shrink(space: Space, draft: Variation, differs: Callable[[Variation], bool], count: int) -> Variation:
    """The smallest variation of a draft that differs: fewer aspects and plainer tensors, then smaller values."""
    plain = strategies.sampled_from(("zeros", "ones", draft.plain))  # the plainest first
    is_kept = strategies.booleans() if len(draft.values) > 1 else strategies.just(True)
    some = strategies.tuples(plain, *(is_kept for _ in draft.values)).map(
        lambda drawn: replace(draft, plain=drawn[0], values=tuple(itertools.compress(draft.values, drawn[1:])))
    )
    fewer = _find(some, differs, count) or draft
    aspects = space.bases[fewer.base].aspects
    numbers = [number for number, _ in fewer.values]
    drawn = [(aspects[number].draw, old) for number, old in fewer.values]
    if not any(draw for draw, _ in drawn):
        return fewer
    values = (draw(strategies) if draw else strategies.just(old) for draw, old in drawn)
    smaller = strategies.tuples(*values).map(lambda new: replace(fewer, values=tuple(zip(numbers, new, strict=True))))
    return _find(smaller, differs, count) or fewer


def _find(drafts: SearchStrategy[Variation], differs: Callable[[Variation], bool], count: int) -> Variation | None:
    settings = _settings(count, Phase.generate, Phase.shrink)
    with suppress(HypothesisException):  # no such example
        return hypothesis.find(drafts, differs, settings=settings, random=random.Random(0))
    return None
