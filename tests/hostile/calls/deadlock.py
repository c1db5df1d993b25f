# what: waits for a lock that it holds
# exit: 2
# says: your code did not finish within 2 s
# at: here
# timeout: 2
import threading
import torch

lock = threading.Lock()


class Net(torch.nn.Module):
    def forward(self, x, times):
        lock.acquire()
        lock.acquire()  # here
        return x * times
