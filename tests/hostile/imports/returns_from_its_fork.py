# what: forks, and both go on
# exit: 0 2
import os
import torch

os.fork()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
