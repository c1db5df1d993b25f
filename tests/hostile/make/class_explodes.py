# what: __class__ is a property that raises
# exit: 2
import torch


class Net(torch.nn.Module):
    @property
    def __class__(self):
        raise RuntimeError("no class")

    def forward(self, x, times):
        return x * times
