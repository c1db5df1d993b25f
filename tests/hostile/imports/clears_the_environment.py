# what: empties the environment, and os.environ itself
import os
import torch

os.environ.clear()
os.environ = {}


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
