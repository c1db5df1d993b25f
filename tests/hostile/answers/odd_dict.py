# what: answers a dict whose methods raise
# exit: 3
import torch


class Odd(dict):
    def no(self, *given):
        raise RuntimeError("no dict")

    items = keys = values = __iter__ = __len__ = __getitem__ = __eq__ = __contains__ = __repr__ = no


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd(x=x)
