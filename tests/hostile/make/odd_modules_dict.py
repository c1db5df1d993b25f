# what: _modules is a list, and a dict that raises
# exit: 2
import torch


class Odd(dict):
    def items(self):
        raise RuntimeError("no items")

    values = keys = __iter__ = get = __contains__ = items


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.__dict__["_modules"] = Odd()
        self.__dict__["_parameters"] = [1, 2]

    def forward(self, x, times):
        return x * times
