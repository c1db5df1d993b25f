# what: an exception whose traceback is somebody else's
# exit: 2
# says: call 1 raised
import torch


class Odd(ValueError):
    @property
    def __traceback__(self):
        return 3


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd("whose")
