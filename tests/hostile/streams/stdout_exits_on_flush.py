# what: a stdout whose flush exits, and one whose attributes explode
# exit: 0
import sys
import torch


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        raise SystemExit(9)


class Worse:
    def __getattribute__(self, name):
        raise KeyboardInterrupt


sys.stdout = Stream()
sys.stderr = Worse()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
