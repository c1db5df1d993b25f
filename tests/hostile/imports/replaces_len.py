# what: replaces len by what says 0
# exit: 0 2 3
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.len = lambda value: 0
