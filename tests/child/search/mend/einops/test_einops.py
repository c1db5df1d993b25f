"""Models that call einops, before the real compiler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import einops
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.search.mend.einops import RULE, equation

MODULE = (
    HEAD
    + """import einops
from einops import rearrange, reduce, repeat


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = 2
        self.token = nn.Parameter(torch.randn(1, 1, 8))

    def forward(self, x):
        token = repeat(self.token, "() n d -> b n d", b=x.shape[0])
        x = torch.cat((token, x), dim=1)
        q = rearrange(x, "b n (h d) -> b h n d", h=self.heads)
        similar = einops.einsum(q, q, "batch head i dim, batch head j dim -> batch head i j")
        out = einops.einsum(similar, q, "b h i j, b h j d -> b h i d")
        out = rearrange(out, "b h n d -> b n (h d)")
        position = torch.arange(out.shape[1])
        distance = rearrange(position, "i -> i ()") - rearrange(position, "j -> () j")
        return reduce(out, "b n d -> b d", "mean"), repeat(distance, "... j -> b ... j", b=2)
"""
)


def test_a_model_scripts_when_its_calls_are_written_out(tmp_path: Path) -> None:
    found = recover(tmp_path, MODULE, [RULE], torch.randn(3, 5, 8))
    assert found.scripts and found.answers_alike, found.messages
    assert len(found.messages) == 1


def test_other_variable_arguments_do_not_ask_for_it() -> None:
    def other(*values):
        return values[0]

    def calls(x):
        return other(x)

    with pytest.raises(torch.jit.frontend.NotSupportedError) as error:
        torch.jit.script(calls)
    assert not RULE.is_asked_for(read_failure(error.value))


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
