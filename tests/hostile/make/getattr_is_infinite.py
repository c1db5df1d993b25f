# what: __getattr__ asks itself
# exit: 3
import torch


class Net(torch.nn.Module):
    def __getattr__(self, name):
        return self.nothing_of_the_kind

    def forward(self, x, times):
        return x * times
