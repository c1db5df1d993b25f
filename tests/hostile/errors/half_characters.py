# what: a message with halves of characters
# exit: 2
# says: ValueError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("\udcff\ud800 half")  # here
