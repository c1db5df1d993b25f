# what: holds the lock of the interpreter for ever, outside Python
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import ctypes
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        ctypes.PyDLL(None).pause()
        return x * times
