# what: raises while it is constructed
# exit: 2
# says: ValueError: not made
# at: here
import torch


class Net(torch.nn.Module):
    def __init__(self):
        raise ValueError("not made")  # here

    def forward(self, x, times):
        return x * times
