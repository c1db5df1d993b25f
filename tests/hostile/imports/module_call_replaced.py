# what: replaces torch.nn.Module.__call__ by what raises
# exit: 2
# says: RuntimeError: no calls
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no calls")  # here


torch.nn.Module.__call__ = no
