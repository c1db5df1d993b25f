# what: reads what is meant for others from every descriptor
# timeout: 3
import os
import torch

for descriptor in range(3, 64):
    try:
        os.set_blocking(descriptor, False)
        os.read(descriptor, 4096)
    except OSError:
        pass


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
