# what: sends SIGSTOP to its parent
# exit: 0 2
# timeout: 3
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.kill(os.getppid(), signal.SIGSTOP)
        return x * times
