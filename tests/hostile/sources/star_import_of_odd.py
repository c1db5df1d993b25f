# what: imports a module that it makes, whose __all__ explodes and whose names are odd
import sys
import types
import torch

made = types.ModuleType("made")
made.__dict__["a b"] = 3
made.__dict__[3] = 3
made.__getattr__ = lambda name: 1 / 0
sys.modules["made"] = made
import made


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
