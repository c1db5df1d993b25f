"""Layers that are made where they are called."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
from torch import nn
import torch.nn.functional as F


def f(x):
    {}
    return x
"""
)
FORM = Form("""\
import torch
from torch import nn
import torch.nn.functional as F


def f(x, y, args):
    {}
""")


CASES = [
    *FORM.alone(
        "return nn.Linear(2, 2)(x)",
        "return nn.ReLU(*args)(x)",
        "return nn.ReLU(**args)(x)",
        "return nn.ReLU()(*x)",
        "return nn.ReLU()(input=x)",
        "return nn.ReLU(x.pop())(x)",
        "return nn.MSELoss()(x)",
        "return nn.MaxPool2d(2, padding=1, unknown=2)(x)",
        "return other.ReLU()(x)",
        "relu = nn.ReLU()\nreturn x.apply(relu)",
        "relu = nn.ReLU()\nrelu = nn.Tanh()\nreturn relu(x)",
        "if x:\n    relu = nn.ReLU()\nreturn relu(x)",
        "relu = nn.LeakyReLU(y)\ny = 2\nreturn relu(x)",
    ),
    *FORM.mends(
        ("return nn.ReLU()(x)", "return F.relu(x)"),
        ("return nn.Sigmoid()(x + 1)", "return torch.sigmoid(x + 1)"),
        ("return torch.nn.LeakyReLU(0.2, inplace=True)(x)", "return F.leaky_relu(x, negative_slope=0.2, inplace=True)"),
        ("return nn.Softmax(dim=-1)(nn.ReLU()(x))", "return F.softmax(F.relu(x), dim=-1)"),
        ("return nn.Dropout(0.1)(x)", "return F.dropout(x, p=0.1, training=True)"),
        ("return nn.Flatten()(x)", "return torch.flatten(x, start_dim=1)"),
        ("return nn.Flatten(2)(x)", "return torch.flatten(x, start_dim=2)"),
        ("return nn.MSELoss(reduction='sum')(x, y)", "return F.mse_loss(x, y, reduction='sum')"),
        ("act = nn.ReLU()\nx = act(x)\nreturn act(x)", "x = F.relu(x)\nreturn F.relu(x)"),
    ),
    *NET.compiles(
        "return nn.Softmax(dim=-1)(nn.ReLU()(x))",
        "return nn.Softmax(dim=-1)(x)",
        "return nn.Dropout(0.0)(x)",
        "return nn.MaxPool1d(2)(x)",
        "return nn.Upsample(scale_factor=2.0)(x[None])",
    ),
]
