# what: ends its process at once in a call
# exit: 2
# says: your code ended its process with exit status 0
# at: here
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os._exit(0)  # here
