# what: replaces builtins.type
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.type = lambda value: int
