# what: writes a forged reply to every descriptor that it has
# exit: 0 2 3
# prints: control characters
import os
import pickle
import struct
import torch

FORGED = pickle.dumps(("forged", "reply"))


class Net(torch.nn.Module):
    def forward(self, x, times):
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, struct.pack("!i", len(FORGED)) + FORGED)
            except OSError:
                pass
        return x * times
