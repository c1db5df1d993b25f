"""An optional mask, and a dict of features; without annotations, the compiler assumes that both are tensors."""

import torch
from torch import nn

from pdt_annotate import Call


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.text = nn.Linear(4, 4)
        self.image = nn.Linear(6, 4)

    def forward(self, features, mask=None):
        score = self.text(features["text"]) + self.image(features["image"])
        if mask is not None:
            score = score.masked_fill(mask, 0.0)
        return score


def features(rows):
    return {"text": torch.randn(rows, 4), "image": torch.randn(rows, 6)}


example_inputs = [
    Call((features(2),), name="without a mask"),
    Call((features(2), torch.tensor([[True], [False]])), name="with a mask"),
    Call((features(3),), {"mask": torch.tensor([[True], [False], [True]])}, name="three rows", held_back=True),
]
