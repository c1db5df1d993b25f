# what: does not call the constructor of nn.Module
# exit: 2
# says: AttributeError
import torch


class Net(torch.nn.Module):
    def __init__(self):
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        return x * times
