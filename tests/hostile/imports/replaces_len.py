# what: replaces len by what says 0
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.len = lambda value: 0
