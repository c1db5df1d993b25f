"""A convolutional network without control flow: every way captures it, but `export` only for the recorded sizes."""

import torch
from torch import nn

from pdt_annotate import Call


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1))


example_inputs = [
    Call((torch.randn(2, 3, 8, 8),), name="eight by eight"),
    Call((torch.randn(2, 3, 12, 10),), name="another size", held_back=True),
]
