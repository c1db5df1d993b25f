# what: a message of a hundred thousand lines
# exit: 2
# says: ValueError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("line\n" * 100_000)  # here
