# what: one module under a hundred names
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layer = torch.nn.Linear(3, 3)
        for number in range(100):
            setattr(self, f"layer{number}", layer)

    def forward(self, x, times):
        return self.layer7(x) * times
