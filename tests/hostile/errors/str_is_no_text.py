# what: an exception whose str is a number
# exit: 2
# says: Odd
# at: here
import torch


class Odd(Exception):
    def __str__(self):
        return 3


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd  # here
