"""Models that call einops, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.search.mend.einops import RULE

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


@pytest.mark.parametrize(
    "call",
    [
        "rearrange(x, 'a b -> b a')",
        "einops.rearrange(x, 'a b -> b a')",
        "repeat(x, 'a b -> a b 2')",
        "reduce(x, 'a b -> a', 'sum')",
        "einops.einsum(x, 'a b -> b')",
        "[rearrange(t, 'a b -> b a') for t in (x, x)][0]",
    ],
)
def test_each_message_asks_for_it(tmp_path: Path, call: str) -> None:
    body = f"from einops import rearrange, reduce, repeat\nimport einops\n\n\ndef f(x):\n    return {call}\n"
    found = recover(tmp_path, HEAD + body, [RULE], torch.randn(3, 5), make_net="f")
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
