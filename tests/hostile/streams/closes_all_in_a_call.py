# what: closes every descriptor of its process in a call
# exit: 2
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.closerange(0, 1024)
        return x * times
