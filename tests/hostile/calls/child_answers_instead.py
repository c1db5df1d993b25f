# what: its process exits, and a child goes on in its place
# exit: 0 2 3
# timeout: 5
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        if os.fork():
            os._exit(0)
        os.setsid()
        return x * times
