# what: sets the import path to None
# exit: 2
# says: TypeError: 'NoneType' object is not iterable
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.path = None
