"""Checks, warnings and logging."""

from __future__ import annotations

from hypothesis import strategies as st
from mend_cases import IMPORTS, Drawn, Form

DOCUMENTED = Form(
    """\
import torch


def f(x):
    {}
    return x
""",
    stops="type(x)",
)

PROPERTIES = [
    "    @property\n    def device(self):\n        return next(self.parameters()).device\n\n",
    "    @property\n    def names(self):\n        return [n for n, p in self.named_parameters()]\n\n",
]
CHECKS = [
    "        self.lstm.flatten_parameters()\n",
    "        validate(x, 3)\n",
    "        if type(x) is not torch.Tensor or x.dim() == 4:\n            raise TypeError('x')\n",
    "        logger.debug('got %s', x.shape)\n",
    "        if x.dim() == 4:\n            warnings.warn('x', DeprecationWarning)\n",
]
DRAWN = Drawn(
    st.builds(
        (
            IMPORTS
            + '''\
import logging
import warnings

logger = logging.getLogger(__name__)


def validate(x, n):
    """Doc."""
    if type(x) is not torch.Tensor:
        raise TypeError("x")
    for t in [x, x]:
        if t.__class__.__name__ == "T":
            raise ValueError("y")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 4)

{}    def forward(self, x, mode: str = "a"):
{}        if mode == "b":
            return self.slow_unentered(x)
        return self.lstm(x)[0]

    def slow_unentered(self, x):
        return max([x], key=lambda y: y.sum())
'''
        ).format,
        st.lists(st.sampled_from(PROPERTIES), unique=True).map("".join),
        st.lists(st.sampled_from(CHECKS), max_size=4).map("".join),
    ),
    "torch.randn(2, 4)",
    ("flatten_parameters", "unused_properties", "unused_functions"),
)
