"""`flatten_parameters()`."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
import torch


class Net(nn.Module):
    def forward(self, x):
        {}
        return x
"""
)
FORM = Form("""\
import torch


class Net:
    def forward(self, x):
        {}
""")

CASES = [
    *FORM.alone(
        "x = self.lstm.flatten_parameters()",
        "flatten_parameters()",
        "self.lstm.flatten_parameters(x)",
        "self.lstm.flatten(x)",
        "if not torch.jit.is_scripting(): self.lstm.flatten_parameters()",
    ),
    *FORM.mends(
        (
            "self.lstm.flatten_parameters()  # one block",
            "if not torch.jit.is_scripting():\n    self.lstm.flatten_parameters()  # one block",
        )
    ),
]
