# what: registers an exit handler that exits, and one that never ends
import atexit
import sys
import threading
import torch

atexit.register(sys.exit, 5)
atexit.register(threading.Event().wait)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
