# what: closes every descriptor of its process while it is imported
# exit: 2
import os
import torch

os.closerange(0, 1024)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
