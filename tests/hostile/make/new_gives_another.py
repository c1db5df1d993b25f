# what: __new__ returns a number
# exit: 2
# says: int
import torch


class Net(torch.nn.Module):
    def __new__(cls):
        return 3

    def forward(self, x, times):
        return x * times
