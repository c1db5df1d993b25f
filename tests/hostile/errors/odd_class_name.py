# what: an exception class whose name is odd
# exit: 2
# at: here
import torch

Odd = type("\x1b[31m::error\n", (Exception,), {"__module__": 3})


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd("words")  # here
