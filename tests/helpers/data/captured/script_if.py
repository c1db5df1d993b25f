"""A branch on values of a tensor, in a function that is scripted when the model is traced."""

import torch
from torch import Tensor, nn

from pdt_annotate import Call


@torch.jit.script_if_tracing
def choose(x: Tensor) -> Tensor:
    if bool(x.sum() > 0):
        return x * 2
    return x - 1


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(choose(x))


example_inputs = [
    Call((torch.ones(2, 4),), name="positive"),
    Call((-torch.ones(2, 4),), name="negative"),
    Call((torch.full((3, 4), -2.0),), name="more of it, negative", held_back=True),
]
