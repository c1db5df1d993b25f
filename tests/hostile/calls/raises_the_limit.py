# what: raises the limit of recursion until the stack is gone
# exit: 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        sys.setrecursionlimit(1 << 30)
        return self(x, times)
