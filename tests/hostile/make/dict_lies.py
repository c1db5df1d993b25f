# what: __dict__ is a property that returns a number
# exit: 3
import torch


class Net(torch.nn.Module):
    __dict__ = property(lambda self: 3)

    def forward(self, x, times):
        return x * times
