# what: disables faulthandler, then crashes
# exit: 2
# says: your code crashed its process (SIGSEGV)
import ctypes
import faulthandler
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        faulthandler.disable()
        return ctypes.string_at(0)
