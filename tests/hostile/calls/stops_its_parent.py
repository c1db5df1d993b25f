# what: sends SIGSTOP to its parent
# exit: 2
# says: your code did not finish within 3 s and was stopped
# timeout: 3
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.kill(os.getppid(), signal.SIGSTOP)
        return x * times
