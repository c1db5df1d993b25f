# what: aborts in a call
# exit: 2
# says: your code crashed its process (SIGABRT)
# at: here
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.abort()  # here
