# what: has the system reap all children unasked
import signal
import torch

signal.signal(signal.SIGCHLD, signal.SIG_IGN)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
