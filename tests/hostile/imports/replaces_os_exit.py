# what: replaces os._exit and sys.exit by what does nothing
import os
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os._exit = sys.exit = lambda status=0: None
