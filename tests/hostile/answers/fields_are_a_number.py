# what: answers a tuple whose _fields are a number
# exit: 3
import torch


class Odd(tuple):
    _fields = 3


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd((x, times))
