# what: prints ten megabytes, without an end of line, in every call
# exit: 3
import os
import torch

WORDS = b"flood " * (1 << 14)


class Net(torch.nn.Module):
    def forward(self, x, times):
        for _ in range(100):
            os.write(1, WORDS)
        return x * times
