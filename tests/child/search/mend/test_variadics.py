"""`*args` and `**kwargs`, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, load, recover

from pdt_annotate.search.mend.variadics import RULE

MODULE = HEAD + '''class Attention(nn.Module):
    def forward(self, x, mask: Optional[Tensor] = None):
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

    def forward(self, x, mask: Optional[Tensor] = None):
        {}
        return self.ff(x)
'''.replace("Tensor]", "torch.Tensor]")


@pytest.mark.parametrize("body", ["x = self.attn(x)", "x = x + 1"])
def test_what_nobody_passes_goes(tmp_path: Path, body: str) -> None:
    found = recover(tmp_path, MODULE.replace("{}", body), [RULE], torch.ones(2))
    assert RULE.is_asked_for_by(found.messages[0]) if hasattr(RULE, "is_asked_for_by") else found.messages
    assert found.scripts and found.answers_alike, found.messages
    assert "_takes" not in found.source and "kwargs" not in found.source
