# what: an exception whose str exits
# exit: 2
# says: Odd
# at: here
import torch


class Odd(Exception):
    def __str__(self):
        raise SystemExit(4)

    __repr__ = __str__


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd  # here
