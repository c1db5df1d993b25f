# what: an exception whose str never ends
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import torch


class Odd(Exception):
    def __str__(self):
        while True:
            pass


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd
