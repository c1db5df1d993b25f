"""A dict as argument and a dict as result; there is no control flow."""

import torch
from torch import Tensor, nn

from pdt_annotate import Call


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 8)
        self.heads = nn.ModuleDict({"low": nn.Linear(8, 2), "high": nn.Linear(8, 3)})

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        hidden = torch.relu(self.trunk(batch["x"])) * batch["weight"]
        return {name: head(hidden) for name, head in self.heads.items()}


def batch(rows):
    return {"x": torch.randn(rows, 4), "weight": torch.rand(rows, 1)}


example_inputs = [
    Call((batch(2),), name="two rows"),
    Call((batch(5),), name="five rows", held_back=True),
]
