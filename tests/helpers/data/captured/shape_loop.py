"""A loop over the size of a tensor, with an integer argument."""

import torch
from torch import Tensor, nn

from pdt_annotate import Call


class Decay(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 4)

    def forward(self, x: Tensor, power: int = 2):
        state = torch.zeros(4)
        for i in range(x.shape[0]):
            state = torch.tanh(self.mix(x[i]) + state / power)
        return state


example_inputs = [
    Call((torch.randn(3, 4),), name="three rows"),
    Call((torch.randn(5, 4),), name="five rows"),
    Call((torch.randn(2, 4), 3), name="two rows, and a number", held_back=True),
]
