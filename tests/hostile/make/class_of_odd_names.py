# what: __name__, __qualname__ and __module__ are odd
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Net.__name__ = "\x1b[31mNet"
Net.__qualname__ = "::error Net\n\x1b[31m"
Net.__module__ = 3
