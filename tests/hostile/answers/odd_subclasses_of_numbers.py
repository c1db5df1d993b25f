# what: answers numbers and text of classes of its own, which explode
# exit: 3
import torch


class Int(int):
    def no(self, *given):
        raise RuntimeError("no number")

    __eq__ = __add__ = __repr__ = __str__ = __bool__ = __index__ = __hash__ = no


class Str(str):
    __eq__ = __repr__ = __str__ = __hash__ = __len__ = Int.no


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Int(3), Str("text")
