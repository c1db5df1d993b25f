# what: waits in C for ever while it is imported
# exit: 2
# says: your code did not finish within 2 s
# at: here
# timeout: 2
import threading
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


threading.Event().wait()  # here
