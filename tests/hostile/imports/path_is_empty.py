# what: empties the import path
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.path.clear()
