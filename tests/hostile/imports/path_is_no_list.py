# what: sets the import path to None
# exit: 0 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.path = None
