# what: stdout and stderr whose flush raises
import sys
import torch


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        raise RuntimeError("no flush")


sys.stdout = sys.stderr = Stream()


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
