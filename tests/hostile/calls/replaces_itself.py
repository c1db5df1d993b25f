# what: replaces forward, and its class, in a call
# exit: 3
import torch


class Other(torch.nn.Module):
    def forward(self, x, times):
        return x + times


class Net(torch.nn.Module):
    def forward(self, x, times):
        self.__class__ = Other
        Net.forward = 3
        return x * times
