# what: sets an alarm that ends it
# exit: 2
# says: your code crashed its process (SIGALRM)
import signal
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        while True:
            pass
