# what: a child in a session of its own holds all descriptors open for a long time
# exit: 3
import os
import time
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)
        return x * times
