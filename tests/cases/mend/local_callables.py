"""Functions that are chosen in a local."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
import torch.nn.functional as F


class Net(nn.Module):
    def forward(self, x):
        {}
"""
)
FORM = Form("def f(x, a, n):\n    {}\n")


CASES = [
    *FORM.alone(
        "g = F.relu\nreturn g(x)",
        "g = F.relu if a else F.gelu\nreturn g",
        "g = F.relu if h(a) else F.gelu\nreturn g(x)",
        "g = make() if a else F.gelu\nreturn g(x)",
        "g = F.relu if a else F.gelu\na = n\nreturn g(x)",
        "g = F.relu if self.a else F.gelu\nself.a = n\nreturn g(x)",
        "if n:\n    g = F.relu if a else F.gelu\nreturn g(x)",
        "g = F.relu if a else F.gelu\nreturn g(g(x))",
        "g = F.relu if a else F.gelu\nif n:\n    g = F.silu\nreturn g(x)",
        "if a:\n    g = F.relu\nreturn g(x)",
        "if a:\n    g = F.relu\nelse:\n    h = F.gelu\nreturn g(x)",
        "if a:\n    g = F.relu\n    n = 2\nelse:\n    g = F.gelu\nreturn g(x)",
        "if a:\n    g = F.relu\nelse:\n    raise ValueError(n)\ng = n\nreturn g(x)",
        "if x.dim() == 3:\n    g = F.relu\nelse:\n    g = F.gelu\nx.squeeze_(0)\nreturn g(x)",
        "if x.dim() == 3:\n    g = F.relu\nelse:\n    g = F.gelu\nx = h(x)\nreturn g(x)",
        "g = slice(1, None) if a else F.gelu\nreturn x[g]",
        "g = slice(1, None) if a else slice(2)\nreturn g(x)",
        "g = slice(1, None) if a else slice(2)\nx[g] = n\nreturn x",
        "g = slice(1, h(a))\nreturn x[g]",
        "g = slice(1, a)\na += 1\nreturn x[g]",
        "g = slice(1, a)\nreturn x[g, g]",
    ),
    *FORM.mends(
        ("g = F.relu if a else F.gelu\nreturn g(x)", "return F.relu(x) if a else F.gelu(x)"),
        ("g = self.b if a > 1 else h\nreturn g(x) + 1", "return (self.b(x) if a > 1 else h(x)) + 1"),
        ("if a:\n    g = F.relu\nelse:\n    g = F.gelu\ny = g(x, n=2)", "y = F.relu(x, n=2) if a else F.gelu(x, n=2)"),
        (
            "if a:\n    g = F.relu\nelif n:\n    g = F.gelu\nelse:\n    g = h\nreturn g(x)",
            "return F.relu(x) if a else F.gelu(x) if n else h(x)",
        ),
        (
            (
                "if x.dim() == 3:  # once\n    g = F.relu\nelif len(x.shape) == 4:\n    g = F.gelu\nelse:\n"
                "    # what?\n    raise ValueError(x)\nfor y in n:\n    a += g(y)"
            ),
            (
                "if not (x.dim() == 3 or len(x.shape) == 4):\n    # what?\n    raise ValueError(x)\nfor y in n:\n"
                "    a += F.relu(y) if x.dim() == 3 else F.gelu(y)"
            ),
        ),
        ("if a:\n    g = F.relu\nelse: return x\nreturn g(x)", "if not a: return x\nreturn F.relu(x)"),
        ("g = slice(1, None)\nreturn x[:, g].sum()", "return x[:, 1:].sum()"),
        (
            "if a:\n    g = slice(1, None)\nelse:\n    g = slice(0, n, 2)\nreturn x[g], x[:, g, 0]",
            "return x[1:] if a else x[0:n:2], x[:, 1:, 0] if a else x[:, 0:n:2, 0]",
        ),
        (
            "g = F.conv2d if a else F.conv3d if n else h\ny = g(weight.transpose(1, -1), stride=1, padding=0)",
            (
                "if a:\n    y = F.conv2d(weight.transpose(1, -1), stride=1, padding=0)\nelif n:\n"
                "    y = F.conv3d(weight.transpose(1, -1), stride=1, padding=0)\nelse:\n"
                "    y = h(weight.transpose(1, -1), stride=1, padding=0)"
            ),
        ),
        ("g = slice(n) if a else slice(None)\nreturn x[g]", "return x[:n] if a else x[:]"),
    ),
    *NET.compiles(
        "act = F.relu if self.n == 2 else F.gelu\nx = act(x)",
        "if self.n == 2:\n    act = F.relu\nelse:\n    act = F.gelu\nx = act(x)",
        "if x.dim() == 2:\n    act = F.relu\nelif x.dim() == 3:\n    act = F.gelu\nelse:\n    raise ValueError('no')\n"
        "y = x\nfor _ in range(2):\n    y = y + act(x)\nreturn y",
        "if self.n == 2:\n    part = slice(1, None)\nelse:\n    part = slice(0, 1)\nx = x[:, part]",
    ),
]
