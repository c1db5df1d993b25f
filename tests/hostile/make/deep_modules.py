# what: modules nested a thousand deep
# exit: 2
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        inner = torch.nn.Identity()
        for _ in range(1200):
            outer = torch.nn.Module()
            outer.inner = inner
            inner = outer
        self.inner = inner

    def forward(self, x, times):
        return x * times
