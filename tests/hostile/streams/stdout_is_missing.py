# what: sys has no stdout and no stderr
# exit: 2
# says: RuntimeError: lost sys.stdout
import sys
import torch

del sys.stdout, sys.stderr


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
