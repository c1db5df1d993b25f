# what: a group of exceptions, nested deep
# exit: 2
# says: ExceptionGroup
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        error = ValueError("inner")
        for _ in range(500):
            error = ExceptionGroup("group", [error])
        raise error  # here
