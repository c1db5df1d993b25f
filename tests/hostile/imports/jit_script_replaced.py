# what: replaces torch.jit.script
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no scripting")


torch.jit.script = no
