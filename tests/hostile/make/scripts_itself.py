# what: is scripted already, inside and outside
import torch


class Inner(torch.nn.Module):
    def forward(self, x):
        return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(Inner())

    def forward(self, x, times):
        return self.inner(x) * times
