# what: replaces functools.reduce, re.sub and re.compile by what raises
# exit: 2
import functools
import re
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no tools")


functools.reduce = functools.partial = functools.wraps = no
re.sub = re.compile = re.match = re.search = no
