"""Arbitrary keyword arguments, and a loop whose condition depends on the values of a tensor."""

import torch
from torch import nn

from pdt_annotate import Call


class Settling(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, **options):
        while x.abs().max() > options.get("limit", 1.0):
            x = x / 2
        return self.layer(x) + options.get("shift", 0.0)


example_inputs = [
    Call((torch.full((2, 4), 3.0),), {"shift": 0.5}, name="two rounds"),
    Call((torch.full((2, 4), 20.0),), {"limit": 2.0}, name="four rounds"),
    Call((torch.full((2, 4), 5.0),), {"limit": 0.5, "shift": 1.0}, name="both options", held_back=True),
]
