# what: replaces linecache.cache by what raises
# exit: 2
import linecache
import torch


class Odd(dict):
    def no(self, *given):
        raise RuntimeError("no lines")

    get = __getitem__ = __contains__ = __setitem__ = __iter__ = keys = items = no


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


linecache.cache = Odd()
