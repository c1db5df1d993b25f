# what: forks children that fork children, some sixty of them, that never end
# exit: 3
import os
import time
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        if os.fork() == 0:
            for _ in range(5):
                os.fork()
            os.setsid() if os.getpgrp() != os.getpid() else None
            while True:
                time.sleep(60)
        return x * times
