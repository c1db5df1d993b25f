"""Layers that are made where they are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.inline_layers import RULE

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\ndef f(x, y, args):\n"


def mended(folder: Path, *lines: str) -> list[str]:
    text = Mended(folder, HEAD + "".join(f"    {line}\n" for line in lines)).apply(RULE)
    assert text.startswith(HEAD)
    return [line[4:] for line in text.removeprefix(HEAD).splitlines()]


@pytest.mark.parametrize(
    "lines",
    [
        ["return nn.Linear(2, 2)(x)"],
        ["return nn.ReLU(*args)(x)"],
        ["return nn.ReLU(**args)(x)"],
        ["return nn.ReLU()(*x)"],
        ["return nn.ReLU()(input=x)"],
        ["return nn.ReLU(x.pop())(x)"],
        ["return nn.MSELoss()(x)"],
        ["return nn.MaxPool2d(2, padding=1, unknown=2)(x)"],
        ["return other.ReLU()(x)"],
        ["relu = nn.ReLU()", "return x.apply(relu)"],
        ["relu = nn.ReLU()", "relu = nn.Tanh()", "return relu(x)"],
        ["if x:", "    relu = nn.ReLU()", "return relu(x)"],
        ["relu = nn.LeakyReLU(y)", "y = 2", "return relu(x)"],
    ],
)
def test_what_is_left_alone(tmp_path: Path, lines: list[str]) -> None:
    assert mended(tmp_path, *lines) == lines


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        (["return nn.ReLU()(x)"], ["return F.relu(x)"]),
        (["return nn.Sigmoid()(x + 1)"], ["return torch.sigmoid(x + 1)"]),
        (
            ["return torch.nn.LeakyReLU(0.2, inplace=True)(x)"],
            ["return F.leaky_relu(x, negative_slope=0.2, inplace=True)"],
        ),
        (["return nn.Softmax(dim=-1)(nn.ReLU()(x))"], ["return F.softmax(F.relu(x), dim=-1)"]),
        (["return nn.Dropout(0.1)(x)"], ["return F.dropout(x, p=0.1, training=True)"]),
        (["return nn.Flatten()(x)"], ["return torch.flatten(x, start_dim=1)"]),
        (["return nn.Flatten(2)(x)"], ["return torch.flatten(x, start_dim=2)"]),
        (["return nn.MSELoss(reduction='sum')(x, y)"], ["return F.mse_loss(x, y, reduction='sum')"]),
        (["act = nn.ReLU()", "x = act(x)", "return act(x)"], ["x = F.relu(x)", "return F.relu(x)"]),
    ],
)
def test_what_is_mended(tmp_path: Path, lines: list[str], after: list[str]) -> None:
    assert mended(tmp_path, *lines) == after
