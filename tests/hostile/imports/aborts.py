# what: aborts while it is imported
# exit: 2
# says: your code crashed its process (SIGABRT)
# at: here
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os.abort()  # here
