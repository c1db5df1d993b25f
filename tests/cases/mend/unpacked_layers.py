"""Layers that are unpacked."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

from pdt_annotate.search.mend.construction import LISTS
from pdt_annotate.values.mends import Held, HeldValue

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    def forward(self, x):
        {}
        return x
""",
    held={"Net.blocks": Held((HeldValue(LISTS[0], length=2, items=(LISTS[1],)),))},
)
FORM = Form(
    """\
class Net(nn.Module):
    def forward(self, x):
        {}
""",
    held={
        "Net.blocks": Held(
            (
                HeldValue(
                    "torch.nn.modules.container.ModuleList",
                    length=2,
                    items=("torch.nn.modules.container.Sequential", "torch.nn.modules.container.ModuleList"),
                ),
            )
        ),
        "Net.pair": Held((HeldValue("torch.nn.modules.container.ModuleList", length=2, items=("Linear",)),)),
        "Net.sizes": Held((HeldValue("builtins.list", length=2, items=("builtins.tuple",)),)),
    },
)

CASES = [
    *FORM.alone(
        "for a, b in self.sizes:\n    x = a + b",
        "for a, b in self.pair:\n    x = a + b",
        "for a, *b in self.blocks:\n    x = a(x)",
        "for a, b in self.blocks: x = a(x)",
        "for i, a in enumerate(self.blocks):\n    x = a(x)",
        "a, b = self.sizes",
        "a, b = x",
        "for block in self.pair:\n    a, b = block",
        "for block in self.blocks:\n    block = x\n    a, b = block",
        entered=["Net.forward"],
    ),
    *FORM.alone("for a, b in self.blocks:\n    x = a(x)", entered=[]),
    *FORM.mends(
        (
            "for a, b in self.blocks:\n    x = b(a(x))",
            "for block in self.blocks:\n    a = block[0]\n    b = block[1]\n    x = b(a(x))",
        ),
        (
            "for i, (a, b) in enumerate(self.blocks):\n    # first\n    x = a(x)",
            "for i, block in enumerate(self.blocks):\n    # first\n    a = block[0]\n    b = block[1]\n    x = a(x)",
        ),
        (
            "for y, (a,) in zip(x, self.blocks):\n    x = a(y)",
            "for y, block in zip(x, self.blocks):\n    a = block[0]\n    x = a(y)",
        ),
        ("x = [b(a(x)) for a, b in self.blocks]", "x = [block[1](block[0](x)) for block in self.blocks]"),
        ("a, b = self.pair", "a = self.pair[0]\nb = self.pair[1]"),
        (
            "for i, block in enumerate(self.blocks):\n    a, b = block",
            "for i, block in enumerate(self.blocks):\n    a = block[0]\n    b = block[1]",
        ),
        entered=["Net.forward"],
    ),
]

DRAWN = Form(
    IMPORTS
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
).draws(
    "for a, b in self.blocks:\n    x = b(a(x)) + a(x)",
    "for i, (a, b) in enumerate(self.blocks):\n    x = b(a(x)) * i",
    "for (a, b), c in zip(self.blocks, self.convs):\n    x = c(b(a(x)))",
    "x = torch.stack([b(a(x)) for a, b in self.blocks]).sum(0)",
    "c, d = self.pair\nx = d(c(x))",
    "for block in self.blocks:\n    a, b = block\n    x = b(a(x))",
    "for i in range(len(self.convs)):\n    x = self.convs[i](x) * i",
    "for i in range(self.n):\n    if x.sum() > i:\n        x = self.emb[i](self.convs[i](x))",
    "x = torch.stack([self.convs[k](x) for k in range(2)]).sum(0)",
    others=("indexed_layers",),
)
