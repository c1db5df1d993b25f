"""Methods of `super()`."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.super_calls import RULE
from pdt_annotate.values.mends import MendKind

HEAD = "import torch.nn.functional as F\nfrom torch import nn\n\n\n"


def of(base: str, body: str, name: str = "forward(self, x)") -> str:
    return f"{HEAD}class Own({base}):\n    def {name}:\n        return {body}\n"


@pytest.mark.parametrize(
    ("base", "body"),
    [
        ("nn.LSTM", "super().forward(x)"),
        ("nn.LayerNorm, Mixin", "super().forward(x)"),
        ("nn.LayerNorm", "super().extra_repr()"),
        ("nn.LayerNorm", "super().forward(input=x)"),
        ("nn.LayerNorm", "super().forward(*x)"),
        ("nn.LayerNorm", "self.norm.forward(x)"),
        ("LayerNorm", "super().forward(x)"),
        ("nn.Module", "super().__call__(x)"),
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, base: str, body: str) -> None:
    source = of(base, body)
    assert Mended(tmp_path, source).apply(RULE) == source


@pytest.mark.parametrize(
    ("base", "before", "after"),
    [
        ("nn.Linear", "super().forward(x) + 1", "F.linear(x, self.weight, self.bias) + 1"),
        (
            "nn.LayerNorm",
            "super(Own, self).forward(x.float())",
            "F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps)",
        ),
        ("nn.Conv2d", "super().forward(x * 2)", "self._conv_forward(x * 2, self.weight, self.bias)"),
    ],
)
def test_layers_have_a_functional_form(tmp_path: Path, base: str, before: str, after: str) -> None:
    assert Mended(tmp_path, of(base, before)).apply(RULE) == of(base, after)


def test_the_convolution_is_frozen(tmp_path: Path) -> None:
    name = "_conv_forward(self, x, weight, bias)"
    mended = Mended(tmp_path, of("nn.Conv1d", "super()._conv_forward(x, weight, bias)", name))
    [mend] = mended.find(RULE)
    assert mend.kind is MendKind.FROZEN
    assert mended.apply(RULE).endswith(
        '        assert self.padding_mode == "zeros"\n'
        "        return F.conv1d(x, weight, bias, self.stride, self.padding, self.dilation, self.groups)\n"
    )


BASE = '''\
class Base(nn.Module):
    def forward(self, x, n: int = 2, *, scale={"a": 1}["a"]) -> "Tensor":
        """What it does."""
        # first
        x = x * n
        return x


class Own(Base):
    def forward(self, x):
        return super().forward(x, n=3) + 1
'''


def test_methods_that_may_not_move_stay(tmp_path: Path) -> None:
    assert Mended(tmp_path, BASE).apply(RULE) == BASE


def test_a_method_of_the_project_gets_another_name(tmp_path: Path) -> None:
    after = Mended(tmp_path, BASE.replace('{"a": 1}["a"]', "1.0")).apply(RULE)
    assert (
        after
        == '''\
class Base(nn.Module):
    def forward(self, x, n: int = 2, *, scale=1.0) -> "Tensor":
        """What it does."""
        # first
        return self._base_forward(x, n, scale=scale)

    def _base_forward(self, x, n: int = 2, *, scale=1.0) -> "Tensor":
        x = x * n
        return x


class Own(Base):
    def forward(self, x):
        return self._base_forward(x, n=3) + 1
'''
    )
