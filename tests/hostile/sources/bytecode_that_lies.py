# what: forward runs the code of another function, under its own name
# exit: 3
import torch


def other(self, x, times):
    return x - times


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Net.forward.__code__ = other.__code__.replace(
    co_name="forward",
    co_qualname="Net.forward",
    co_firstlineno=Net.forward.__code__.co_firstlineno,
)
