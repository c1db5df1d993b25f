# what: __file__ and __spec__ say it is another file
# exit: 3
import os
import torch

__file__ = os.__file__
__spec__ = None
__name__ = "os"


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
