"""A list attribute to which every call appends: Python keeps the list, and most graphs do not contain it."""

import torch
from torch import Tensor, nn

from pdt_annotate import Call


class Remembering(nn.Module):
    seen: list[int]

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.seen = []

    def forward(self, x: Tensor):
        self.seen.append(x.size(0))
        return self.layer(x) * len(self.seen)


example_inputs = [
    Call((torch.randn(2, 4),), name="first"),
    Call((torch.randn(2, 4),), name="second"),
    Call((torch.randn(2, 4),), name="third", held_back=True),
]
