# what: replaces isinstance by what always says yes
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.isinstance = lambda value, classes: True
