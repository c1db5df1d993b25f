# what: takes the lowest priority
# exit: 3
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.nice(19)
        return x * times
