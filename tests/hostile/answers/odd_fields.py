# what: answers a tuple whose _fields are odd
# exit: 2
# says: what came back from the process that runs your code is no answer
import torch


class Odd(tuple):
    _fields = ("a b", 3, None, "\x1b[31m")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd((x, times))
