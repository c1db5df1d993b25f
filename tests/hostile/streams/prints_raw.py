# what: writes escapes, NUL and half characters to descriptors 1 and 2
# exit: 3
# prints: control characters
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        for descriptor in (1, 2):
            os.write(descriptor, b"\x1b[31mred\x00\xff\xc3")
        return x * times
