# what: crashes while it is constructed
# exit: 2
# says: your code crashed its process (SIGSEGV)
# at: here
import ctypes
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        ctypes.string_at(0)  # here

    def forward(self, x, times):
        return x * times
