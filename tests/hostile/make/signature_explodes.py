# what: __signature__ is a number, or raises
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Net.forward.__signature__ = 3
