# what: puts things that are no strings on the import path
import sys
import torch

sys.path[:0] = [None, 3, b"bytes", "", "/nowhere", "\0"]


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
