# what: slots whose values are missing
import torch


class Net(torch.nn.Module):
    __slots__ = ("missing",)

    def forward(self, x, times):
        return x * times
