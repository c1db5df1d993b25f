# what: a decorator that returns an object whose every attribute raises
# exit: 3
import torch


class Odd:
    def __init__(self, function):
        pass

    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")


class Net(torch.nn.Module):
    @Odd
    def other(self):
        pass

    def forward(self, x, times):
        return x * times
