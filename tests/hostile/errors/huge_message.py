# what: an exception with a message of ten megabytes
# exit: 2
# says: ValueError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("long " * 2_000_000)  # here
