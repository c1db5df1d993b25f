# what: descriptors in the class that raise, or are no functions
# exit: 3
import torch


class Odd:
    def __get__(self, instance, owner):
        raise RuntimeError("no descriptor")

    def __set__(self, instance, value):
        raise RuntimeError("no setting")


class Net(torch.nn.Module):
    odd = Odd()

    def forward(self, x, times):
        return x * times
