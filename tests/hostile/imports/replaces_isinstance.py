# what: replaces isinstance by what always says yes
# exit: 0 2 3
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.isinstance = lambda value, classes: True
