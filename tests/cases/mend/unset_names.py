"""Names that one branch sets."""

from __future__ import annotations

from mend_cases import NET, Form
from mended import held

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    def forward(self, x):
        {}
""",
    held={"Net.steps": held("4")},
)
CASES = [
    *NET.compiles(
        "framed = False\nif x.size(0) > self.n:\n    width = self.n // 2\n    y = torch.relu(x)\n    framed = True\n"
        "if framed:\n    x = x.view(-1, width) + y.view(-1, width)",
    ),
]
