# what: a timer whose handler raises again and again, whatever runs
# exit: 0 2
import signal
import torch


def ring(number, frame):
    raise RuntimeError("rang")


signal.signal(signal.SIGALRM, ring)


class Net(torch.nn.Module):
    def forward(self, x, times):
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        return x * times
