# what: reads address 0 in a call
# exit: 2
# says: your code crashed its process (SIGSEGV)
# at: here
import ctypes
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        ctypes.string_at(0)  # here
        return x * times
