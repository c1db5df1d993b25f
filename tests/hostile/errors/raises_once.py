# what: raises in its first call alone
# exit: 2
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        if not torch.jit.is_scripting():
            raise ValueError("only in Python")
        return x * times
