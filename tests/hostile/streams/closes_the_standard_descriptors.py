# what: closes descriptors 0, 1 and 2 while it is imported
import os
import torch

for descriptor in range(3):
    os.close(descriptor)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
