# what: answers a tuple whose _fields are odd
# exit: 3
import torch


class Odd(tuple):
    _fields = ("a b", 3, None, "\x1b[31m")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd((x, times))
