# what: a forward inside three wrappers that do not say so
# exit: 3
import torch


def wrap(function):
    def wrapper(*given, **more):
        return function(*given, **more)

    return wrapper


class Net(torch.nn.Module):
    @wrap
    @wrap
    @wrap
    def forward(self, x, times):
        return x * times
