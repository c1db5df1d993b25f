# what: answers itself, its class, and the module that it is in
# exit: 3
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return self, Net, sys.modules[__name__], sys._getframe()
