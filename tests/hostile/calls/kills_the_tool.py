# what: looks for the tool among its ancestors and stops what it can
# exit: 2
# says: your code crashed its process (SIGKILL)
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.kill(os.getppid(), signal.SIGKILL)
        return x * times
