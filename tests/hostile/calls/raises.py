# what: raises in a call
# exit: 2
# says: ValueError: not like this
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("not like this")  # here
