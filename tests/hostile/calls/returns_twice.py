# what: forks, and both come back from the call
# exit: 3
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.fork()
        return x * times
