# what: stdout and stderr are None
# exit: 3
import sys
import torch

sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = None


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
