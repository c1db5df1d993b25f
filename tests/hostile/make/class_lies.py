# what: __class__ says it is an int
# exit: 3
import torch


class Net(torch.nn.Module):
    __class__ = int

    def forward(self, x, times):
        return x * times
