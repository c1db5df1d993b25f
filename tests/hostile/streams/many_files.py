# what: opens all files that it may
# exit: 3
import os
import torch

held = []


class Net(torch.nn.Module):
    def forward(self, x, times):
        try:
            while len(held) < 100_000:
                held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        return x * times
