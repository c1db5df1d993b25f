"""A transformer encoder of torch's own layers, in training mode without dropout, so that no fused kernel is taken."""

import torch
from torch import nn

from pdt_annotate import Call


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        return self.out(self.encoder(x))


example_inputs = [
    Call((torch.randn(2, 5, 8),), name="five steps"),
    Call((torch.randn(3, 7, 8),), name="seven steps", held_back=True),
]
