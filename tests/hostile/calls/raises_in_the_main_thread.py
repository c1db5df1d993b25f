# what: a thread that raises SystemExit in the main thread, later
# exit: 0 2
import ctypes
import threading
import time
import torch


def interfere(thread):
    time.sleep(0.002)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(SystemExit))


class Net(torch.nn.Module):
    def forward(self, x, times):
        threading.Thread(target=interfere, args=(threading.main_thread().ident,), daemon=True).start()
        return x * times
