# what: a stdout whose flush never ends
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import sys
import threading
import torch


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        threading.Event().wait()


sys.stdout = Stream()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
