# what: a function whose code says it is from the line of another
# exit: 3
import torch


class Net(torch.nn.Module):
    def other(self, y):
        return y

    def forward(self, x, times):
        return x * times


Net.forward.__code__ = Net.forward.__code__.replace(co_firstlineno=Net.other.__code__.co_firstlineno)
