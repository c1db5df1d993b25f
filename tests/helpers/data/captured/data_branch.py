"""A branch on the values of a tensor: ways that record one call take the same side in all calls."""

import torch
from torch import nn

from pdt_annotate import Call


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 4)
        self.down = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:
            return self.up(x)
        return self.down(x) - 1


example_inputs = [
    Call((torch.ones(2, 4),), name="positive"),
    Call((-torch.ones(2, 4),), name="negative"),
    Call((torch.full((3, 4), -2.0),), name="more of it, negative", held_back=True),
]
