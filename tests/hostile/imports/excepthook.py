# what: replaces the hooks for exceptions and their display
# exit: 2
# says: ValueError: as you see
# at: here
import sys
import threading
import traceback
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times



def no(*given, **more):
    raise RuntimeError("no hook")


sys.excepthook = sys.displayhook = sys.unraisablehook = threading.excepthook = no
traceback.print_exc = traceback.format_exc = traceback.extract_tb = no

raise ValueError("as you see")  # here
