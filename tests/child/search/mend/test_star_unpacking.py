"""Star unpacking, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend.star_unpacking import RULE

MODULE = (
    HEAD
    + """class Net(nn.Module):
    def forward(self, x):
        b, c, d, n = *x.shape, 2
        p, q, r = (x, *x.chunk(2, dim=-1))
        *rest, last = x.shape
        first, *others = x.shape
        return {}
"""
)
TENSORS = st.sampled_from(
    [
        "x.reshape(*x.shape[:2], n, -1)",
        "x.reshape(b, *x.shape[1:])",
        "x.reshape(*rest, last)",
        "x.reshape(first, *others)",
        "x.reshape(-1, *rest)",
        "torch.ones(*x.shape[:-1], device=x.device)",
        "torch.zeros(n, *x.size())",
        "x[:1].expand(*x.shape)",
        "x.reshape(tuple(x.shape))",
        "torch.cat((x, *x.chunk(2, dim=0)))",
        "torch.cat([*x.chunk(2, dim=0), x])",
        "torch.stack(tuple(t * 2 for t in (x, x)))",
        "torch.cat(tuple(x.chunk(2, dim=-1)), dim=-1)",
        "q + r",
        "p.sum() + x.new_ones(*x.shape[:1]) * c * d",
    ]
)


@settings(max_examples=6, deadline=None)
@given(tensors=st.lists(TENSORS, min_size=1, max_size=4), sizes=st.tuples(*[st.sampled_from([2, 4, 6])] * 3))
def test_it_answers_as_before_and_scripts(tmp_path_factory, tensors: list[str], sizes: tuple[int, int, int]) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    answer = f"({', '.join(tensors)}, x.view(*rest, -1), x.view(-1, *others))"
    found = recover(folder, MODULE.format(answer), [RULE], torch.randn(*sizes))
    assert found.scripts and found.answers_alike, (found.messages, found.source)
