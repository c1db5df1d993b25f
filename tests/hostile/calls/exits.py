# what: sys.exit in a call
# exit: 2
# says: it called sys.exit
# at: here
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        sys.exit("\x1b[31mgone")  # here
