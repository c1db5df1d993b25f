# what: a forward whose __wrapped__ leads round in a circle
# exit: 3
import torch


def one(self, x, times):
    return x * times


def two(self, x, times):
    return x * times


one.__wrapped__ = two
two.__wrapped__ = one


class Net(torch.nn.Module):
    forward = one
