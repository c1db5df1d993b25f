# what: ends the process by sys.exit while it is imported
# exit: 2
# says: it called sys.exit(3)
# at: here
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.exit(3)  # here
