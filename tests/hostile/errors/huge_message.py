# what: an exception with a message of a hundred megabytes
# exit: 2
# says: ValueError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("long " * 20_000_000)  # here
