# what: changes the locals of the frames that called it
# exit: 3
import ctypes
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        frame = sys._getframe(1)
        while frame is not None:
            if "pdt_annotate" in frame.f_code.co_filename:
                for name in frame.f_locals:
                    frame.f_locals[name] = None
                ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
            frame = frame.f_back
        return x * times
