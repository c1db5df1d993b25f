# what: replaces contextlib.suppress and ExitStack by what lets everything through
# exit: 2
import contextlib
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no contexts")


contextlib.suppress = contextlib.nullcontext = contextlib.contextmanager = no
