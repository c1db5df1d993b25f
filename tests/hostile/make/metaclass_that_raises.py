# what: a metaclass whose checks, equality, hash and repr raise
# exit: 2
import torch


class Meta(type):
    def no(cls, *given):
        raise RuntimeError("no classes")

    __instancecheck__ = __subclasscheck__ = __eq__ = __hash__ = __repr__ = __dir__ = no


class Net(torch.nn.Module, metaclass=Meta):
    def forward(self, x, times):
        return x * times
