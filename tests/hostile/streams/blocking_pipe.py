# what: fills a pipe that nobody reads
# exit: 2
# says: your code did not finish within 2 s
# at: here
# timeout: 2
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        read, write = os.pipe()
        os.write(write, b"x" * (1 << 22))  # here
        return x * times
