# what: stdout and stderr whose write raises
# exit: 2
# says: RuntimeError: no write
# at: here
import sys
import torch


class Stream:
    def write(self, text):
        raise RuntimeError("no write")  # here


sys.stdout = sys.stderr = Stream()


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
