# what: removes builtins that everything needs
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


del builtins.getattr, builtins.sorted, builtins.enumerate, builtins.zip
