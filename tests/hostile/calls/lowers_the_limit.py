# what: lowers the limit of recursion
# exit: 3
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        sys.setrecursionlimit(60)
        return x * times
