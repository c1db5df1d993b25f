# what: a thread crashes while the main one waits
# exit: 2
# says: your code crashed its process (SIGSEGV)
import ctypes
import threading
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        threading.Thread(target=ctypes.string_at, args=(0,)).start()
        threading.Event().wait()
