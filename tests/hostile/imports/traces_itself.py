# what: sets a trace function that raises
# exit: 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def trace(frame, event, arg):
    if frame.f_code.co_name == "forward":
        raise RuntimeError("traced")
    return None


sys.settrace(trace)
