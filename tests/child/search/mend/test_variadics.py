"""`*args` and `**kwargs`, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, load, recover

from pdt_annotate.search.mend.variadics import RULE

MODULE = (
    HEAD
    + '''class Attention(nn.Module):
    def forward(self, x, mask: Optional[torch.Tensor] = None):
        return x if mask is None else x + mask


class FeedForward(nn.Module):
    def forward(self, x):
        return x * 2


class PreNorm(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        """Normalized first."""
        x = x.tanh()
        return self.fn(x, **kwargs)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = PreNorm(Attention())
        self.ff = PreNorm(FeedForward())

    def forward(self, x):
        return {}
'''
)


def test_what_nobody_passes_goes(tmp_path: Path) -> None:
    found = recover(tmp_path, MODULE.format("self.ff(self.attn(x))"), [RULE], torch.ones(2))
    assert found.scripts and found.answers_alike, found.messages
    assert found.source == MODULE.format("self.ff(self.attn(x))").replace(", **kwargs", "")


@pytest.mark.parametrize("mask", ["None", "x"])
def test_names_go_to_modules_that_take_them(tmp_path: Path, mask: str) -> None:
    source = MODULE.format(f"self.ff(self.attn(x, mask={mask}))")
    after = recover(tmp_path, source, [RULE], torch.ones(2)).source
    annotated = after.replace('mask=None):\n        """', 'mask: Optional[torch.Tensor] = None):\n        """')
    found = recover(tmp_path, annotated, [], torch.ones(2))
    assert found.scripts and found.answers_alike, found.messages
    before, mended = load(tmp_path, source), load(tmp_path, after)
    for module in (before, mended):
        with pytest.raises((TypeError, AssertionError)):
            module.PreNorm(module.FeedForward())(torch.ones(2), mask=torch.ones(2))
