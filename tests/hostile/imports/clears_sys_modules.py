# what: empties sys.modules
# exit: 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.modules.clear()
