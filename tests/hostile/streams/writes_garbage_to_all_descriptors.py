# what: writes a length without end to every descriptor that it has, while it is imported
# exit: 2
# says: your code did not finish within 5 s and was stopped
# timeout: 5
# prints: control characters
import os
import torch

for descriptor in range(3, 64):
    try:
        os.write(descriptor, b"\x7f\xff\xff\xff garbage")
    except OSError:
        pass


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
