# what: replaces print, open and input by what raises
# exit: 2
import builtins
import torch


def no(*given, **more):
    raise RuntimeError("not allowed")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.print = builtins.input = no
builtins.open = no
