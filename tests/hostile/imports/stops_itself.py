# what: stops its own process
# exit: 2
# says: your code did not finish within 3 s
# timeout: 3
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os.kill(os.getpid(), signal.SIGSTOP)
