# what: removes all builtins in a call
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        result = x * times
        builtins.__dict__.clear()
        return result
