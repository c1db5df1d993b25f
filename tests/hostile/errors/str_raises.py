# what: an exception whose str and repr raise
# exit: 2
# says: Odd
# at: here
import torch


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd  # here
