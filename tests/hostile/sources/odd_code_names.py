# what: code whose names are odd
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Net.forward.__code__ = Net.forward.__code__.replace(co_name="\x1b[31m", co_qualname="::error\n.<locals>..")
