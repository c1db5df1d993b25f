"""Methods of `super()`."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

DOCUMENTED = Form(
    """\
from torch import nn
import torch.nn.functional as F


{}
"""
)
COMPILED = Form(
    IMPORTS
    + """\
class Base(nn.Linear):
    def forward(self, x):
        return super().forward(x) + 1


class Net(Base):
    def __init__(self):
        super().__init__(2, 2)

    def forward(self, x):
        return {}
"""
)

CASES = [
    *COMPILED.compiles(
        "super().forward(x.float())",
    ),
]
