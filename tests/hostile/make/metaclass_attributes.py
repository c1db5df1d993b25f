# what: a metaclass whose attributes explode
# exit: 2
# says: RuntimeError: no attribute
# at: here
import torch


class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError(f"no attribute {name}")  # here


class Net(torch.nn.Module, metaclass=Meta):
    def forward(self, x, times):
        return x * times
