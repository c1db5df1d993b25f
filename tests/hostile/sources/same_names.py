# what: the class and its forward are defined thrice
# exit: 0 2 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x + times


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x - times

    def forward(self, x, times):
        return x * times
