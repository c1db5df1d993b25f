# what: joins the process group of its parent's parent, and never ends
# exit: 2
# timeout: 2
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        try:
            os.setpgid(0, os.getpgid(os.getppid()))
        except OSError:
            pass
        while True:
            pass
