# what: lazy parameters that no call fills
# exit: 3
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lazy = torch.nn.LazyLinear(3)

    def forward(self, x, times):
        return x * times
