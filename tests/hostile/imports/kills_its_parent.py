# what: kills the process that forked it
# exit: 2
# says: is gone
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os.kill(os.getppid(), signal.SIGKILL)
os._exit(0)
