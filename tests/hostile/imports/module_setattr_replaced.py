# what: replaces torch.nn.Module.__setattr__ and __getattr__ by what raises
# exit: 3
# says: no attributes
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no attributes")


torch.nn.Module.__setattr__ = no
torch.nn.Module.__getattr__ = no
