# what: renames its class in every call
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        Net.__name__ += "t"
        Net.__qualname__ = "a.b.<locals>.c"
        return x * times
