"""What `torch.einsum` answers to the equation, next to `einops.einsum`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import einops
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pdt_annotate.search.mend.einops.einsum import equation

SIZES = {"z": 2, "b": 3, "heads": 4, "a": 2, "dim": 3}


@st.composite
def patterns(draw: Callable[[Any], Any]) -> str:
    sides = draw(st.lists(st.lists(st.sampled_from(sorted(SIZES)), min_size=1, max_size=3), min_size=1, max_size=3))
    names = sorted({name for side in sides for name in side})
    made = draw(st.permutations(names))[: draw(st.integers(0, len(names)))]
    return ", ".join(map(" ".join, sides)) + " -> " + " ".join(made)


@settings(max_examples=60, deadline=None)
@given(patterns())
def test_it_answers_what_einops_answers(pattern: str) -> None:
    inputs = [[SIZES[name] for name in side.split()] for side in pattern.partition("->")[0].split(",")]
    tensors = [torch.randn(shape, generator=torch.Generator().manual_seed(len(shape))) for shape in inputs]
    as_before: Any = einops.einsum
    assert torch.equal(as_before(*tensors, pattern), torch.einsum(equation(pattern), *tensors))
