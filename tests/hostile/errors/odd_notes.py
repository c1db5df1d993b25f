# what: an exception with notes that are no text
# exit: 2
# says: ValueError: noted
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        error = ValueError("noted")
        error.__notes__ = [3, None, "\x1b[31m"]
        raise error  # here
