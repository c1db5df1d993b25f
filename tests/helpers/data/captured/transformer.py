"""A transformer encoder of torch's own layers, in training mode without dropout, so that no fused kernel is taken."""

import torch
from torch import nn

from pdt_annotate import Call


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(16, 4)

    def forward(self, x):
        return self.out(self.encoder(x))


example_inputs = [
    Call((torch.randn(2, 5, 16),), name="five steps"),
    Call((torch.randn(3, 7, 16),), name="seven steps", held_back=True),
]
