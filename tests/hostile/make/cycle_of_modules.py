# what: two modules that hold each other
# exit: 2
import torch


class Inner(torch.nn.Module):
    def forward(self, x):
        return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.inner.outer = self

    def forward(self, x, times):
        return self.inner(x) * times
