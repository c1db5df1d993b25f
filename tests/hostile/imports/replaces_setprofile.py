# what: replaces sys.setprofile and sys.settrace by what raises
# exit: 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given):
    raise RuntimeError("no profiling")


sys.setprofile = sys.settrace = sys.getprofile = no
