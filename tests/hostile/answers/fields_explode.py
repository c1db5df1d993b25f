# what: answers a tuple whose _fields and _field_defaults raise
# exit: 3
import torch


class Explosive:
    def __get__(self, instance, owner):
        raise RuntimeError("no fields")


class Odd(tuple):
    _fields = _field_defaults = _make = Explosive()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd((x, times))
