# what: a module that is its own submodule
# exit: 2
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.again = self

    def forward(self, x, times):
        return x * times
