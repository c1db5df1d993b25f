# what: does not call the constructor of nn.Module, and has no members
# exit: 2
# says: AttributeError
import torch


class Net(torch.nn.Module):
    def __init__(self):
        pass

    def forward(self, x, times):
        return x * times
