# what: the class and its forward are defined thrice
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x + times


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x - times

    def forward(self, x, times):
        return x * times
