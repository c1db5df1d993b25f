# what: puts an object in its own place in sys.modules
# exit: 3
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


class Facade:
    Net = Net


sys.modules[__name__] = Facade()
