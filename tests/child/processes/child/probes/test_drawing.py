"""Drafts by hypothesis: the same every time, shrunk, and nothing on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pdt_annotate.processes.child.probes.drawing import draw_drafts, shrink
from pdt_annotate.processes.child.probes.space import Base, Knowledge, Space, Variation, aspects_of
from pdt_annotate.values.runs import Call


def space_of(*calls: Call) -> Space:
    return Space(tuple(Base(call, (), tuple(aspects_of(call, None, Knowledge()))) for call in calls))


SPACE = space_of(Call((torch.zeros(2, 3), 4, "ab", [1, 2])), Call(()))


def number_of(draft: Variation) -> int:
    n: int = SPACE.calls_of(draft)[-1].args[1]
    return n


def test_the_same_is_drawn_every_time_and_nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = draw_drafts(SPACE, 30)
    assert drawn == draw_drafts(SPACE, 30) and 10 < len(drawn) <= 30
    assert max(len(draft.values) for draft in drawn) > 1
    assert not list(tmp_path.iterdir())


def test_of_nothing_that_varies_nothing_is_drawn() -> None:
    assert draw_drafts(space_of(Call(())), 30) == []


def test_what_differs_is_shrunk_to_what_matters() -> None:
    aspects = {aspect.name: number for number, aspect in enumerate(SPACE.bases[0].aspects)}
    values = ((aspects["args", 1, "int"], 61), (aspects["args", 2, "str"], "AB b"), (aspects["size", 3], 5))
    smallest = shrink(SPACE, Variation(0, values), lambda draft: number_of(draft) > 20, 60)
    assert smallest == Variation(0, ((aspects["args", 1, "int"], 21),), "zeros")


def test_what_cannot_be_shrunk_stays() -> None:
    draft = Variation(0, ((0, 63),))
    assert shrink(SPACE, draft, lambda smaller: False, 20) == draft


def test_the_most_telling_values_of_all_aspects_come_first() -> None:
    aspects = SPACE.bases[0].aspects
    first = [draft.values[0] for draft in SPACE.telling()][: len(aspects)]
    assert first == [(number, aspect.telling[0]) for number, aspect in enumerate(aspects)]
