# what: empties the import path
# exit: 0 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.path.clear()
