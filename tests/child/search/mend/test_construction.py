"""Lists of layers that are indexed and unpacked, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend.indexed_layers import RULE as INDEXED
from pdt_annotate.search.mend.unpacked_layers import RULE as UNPACKED

MODULE = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 2
        pairs = (nn.Linear(3, 3), nn.ReLU()), (nn.Tanh(), nn.Linear(3, 3))
        self.blocks = nn.ModuleList(nn.Sequential(*pair) for pair in pairs)
        self.convs = nn.ModuleList([nn.Linear(3, 3), nn.Tanh()])
        self.emb = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
        self.pair = nn.ModuleList([nn.ReLU(), nn.Linear(3, 3)])

    def forward(self, x):
{}
        return x
"""
)
STATEMENTS = [
    "for a, b in self.blocks:\n    x = b(a(x)) + a(x)",
    "for i, (a, b) in enumerate(self.blocks):\n    x = b(a(x)) * i",
    "for (a, b), c in zip(self.blocks, self.convs):\n    x = c(b(a(x)))",
    "x = torch.stack([b(a(x)) for a, b in self.blocks]).sum(0)",
    "c, d = self.pair\nx = d(c(x))",
    "for block in self.blocks:\n    a, b = block\n    x = b(a(x))",
    "for i in range(len(self.convs)):\n    x = self.convs[i](x) * i",
    "for i in range(self.n):\n    if x.sum() > i:\n        x = self.emb[i](self.convs[i](x))",
    "x = torch.stack([self.convs[k](x) for k in range(2)]).sum(0)",
]


@settings(max_examples=8, deadline=None)
@given(statements=st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4))
def test_layers_answer_as_before_and_script(tmp_path_factory, statements: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    body = "\n".join(f"        {line}" for statement in statements for line in statement.split("\n"))
    found = recover(folder, MODULE.format(body), [INDEXED, UNPACKED], torch.randn(2, 3))
    assert found.scripts and found.answers_alike, (found.messages, found.source)
