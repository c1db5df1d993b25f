# what: empties sys.modules
# exit: 0 2 3
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.modules.clear()
