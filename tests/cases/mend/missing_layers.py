"""Layers that some instances lack: None there."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

from pdt_annotate.values.mends import Held

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
""",
    held={"Net.expand": Held(lacking=True)},
)

DRAWN = Form(
    IMPORTS
    + """\
class Block(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        if kind > 0:
            self.up = nn.Linear(3, 3)
        if kind == 1:
            self.act = nn.ReLU()
        elif kind == 2:
            self.act = nn.Tanh()
            self.norm = nn.LayerNorm(3)

    def forward(self, x):
        {}
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(Block(kind) for kind in range(4)))

    def forward(self, x):
        return self.blocks(x)
"""
).draws(
    "if self.kind > 0:\n    x = self.up(x)",
    "if self.kind > 0:\n    x = x + 1\n    if x.dim() == 2:\n        x = self.up(x)",
    "x = self.norm(x) if self.kind == 2 else x",
    "x = x if self.kind in [0, 3] else self.act(x)",
    "for _ in range(self.kind):\n    x = x * self.up.weight.sum()",
    "if self.kind == 0:\n    return x\nx = self.up(x)",
    "if self.kind == 2:\n    x = self.act(x)\n    x = self.norm(x)\nelse:\n    x = x * 2",
)
