# what: changes the code of its own forward
# exit: 3
import torch


def other(self, x, times):
    return x + times


class Net(torch.nn.Module):
    def forward(self, x, times):
        Net.forward.__code__ = other.__code__
        return x * times
