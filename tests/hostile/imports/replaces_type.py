# what: replaces builtins.type
# exit: 0 2 3
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


builtins.type = lambda value: int
