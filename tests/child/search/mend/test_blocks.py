"""What is left out of the scripted model, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend import eager_checks, flatten_parameters, unused_functions, unused_properties

RULES = [module.RULE for module in (flatten_parameters, eager_checks, unused_properties, unused_functions)]
MODULE = (
    HEAD
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
)
PROPERTIES = [
    "    @property\n    def device(self):\n        return next(self.parameters()).device\n\n",
    "    @property\n    def names(self):\n        return [n for n, p in self.named_parameters()]\n\n",
]
CHECKS = [
    "self.lstm.flatten_parameters()",
    "validate(x, 3)",
    "if type(x) is not torch.Tensor or x.dim() == 4:\n            raise TypeError('x')",
    "logger.debug('got %s', x.shape)",
    "if x.dim() == 4:\n            warnings.warn('x', DeprecationWarning)",
]


@settings(max_examples=5, deadline=None)
@given(
    properties=st.lists(st.sampled_from(PROPERTIES), unique=True),
    checks=st.lists(st.sampled_from(CHECKS), max_size=4),
)
def test_the_rest_answers_as_before(tmp_path_factory, properties: list[str], checks: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    source = MODULE.format("".join(properties), "".join(f"        {check}\n" for check in checks))
    found = recover(folder, source, RULES, torch.randn(2, 4))
    assert found.scripts and found.answers_alike, (found.messages[-1], found.source)
