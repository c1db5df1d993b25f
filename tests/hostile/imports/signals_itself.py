# what: sends SIGTERM to itself while it is imported
# exit: 2
# says: your code crashed its process (SIGTERM)
# at: here
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os.kill(os.getpid(), signal.SIGTERM)  # here
signal.pause()
