# what: a function whose code says it is from a line that no file has
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Net.forward.__code__ = Net.forward.__code__.replace(co_firstlineno=10**6)
