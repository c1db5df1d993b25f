# what: removes builtins that everything needs
# exit: 0 2 3
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


del builtins.getattr, builtins.sorted, builtins.enumerate, builtins.zip
