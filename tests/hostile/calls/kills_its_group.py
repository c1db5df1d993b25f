# what: kills its process group
# exit: 2
# says: your code crashed its process (SIGKILL)
import os
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.killpg(0, signal.SIGKILL)
        return x * times
