# what: ends the process at once while it is imported
# exit: 2
# says: your code ended its process with exit status 3
# at: here
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os._exit(3)  # here
