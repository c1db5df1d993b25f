# what: replaces os.path.realpath and its like by liars
# exit: 3
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os.path.realpath = os.path.abspath = lambda path, **more: "/elsewhere"
os.path.isfile = lambda path: False
os.getcwd = lambda: None
