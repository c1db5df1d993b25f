# what: ignores all signals that it may, and never ends
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        for number in signal.valid_signals():
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            pass
