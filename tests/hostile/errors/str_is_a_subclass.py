# what: an exception whose str is text of a class of its own, which explodes
# exit: 2
# says: Odd
# at: here
import torch


class Text(str):
    def no(self, *given, **more):
        raise RuntimeError("no text")

    __str__ = __format__ = __len__ = __iter__ = __bool__ = __eq__ = __add__ = splitlines = split = partition = no
    __reduce_ex__ = no
    __hash__ = None


class Odd(Exception):
    def __str__(self):
        return Text("words")


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd  # here
