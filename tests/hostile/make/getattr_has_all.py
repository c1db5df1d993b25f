# what: __getattr__ has everything
# exit: 3
import torch


class Net(torch.nn.Module):
    def __getattr__(self, name):
        return lambda *given, **more: self

    def forward(self, x, times):
        return x * times
