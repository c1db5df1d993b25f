# what: forks twice, and leaves a daemon in a session of its own that stands elsewhere
import os
import time
import torch

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.closerange(0, 256)
        time.sleep(600)
    os._exit(0)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
