# what: the module's own __getattr__ gives everything, and exits for some
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def __getattr__(name):
    if name.startswith("__"):
        sys.exit(3)
    return Net


def __dir__():
    raise RuntimeError("no names")
