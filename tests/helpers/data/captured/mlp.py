"""Layers one after the other; every call has another number of rows."""

import torch
from torch import nn

from pdt_annotate import Call


class MLP(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        return self.out(self.layers(x)).softmax(-1)


example_inputs = [
    Call((torch.randn(4, 8),), name="four rows"),
    Call((torch.randn(7, 8),), name="seven rows", held_back=True),
]
