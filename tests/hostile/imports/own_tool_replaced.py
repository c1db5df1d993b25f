# what: replaces functions of pdt_annotate itself
# exit: 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no tool")


for name, module in list(sys.modules.items()):
    if name.startswith("pdt_annotate.processes.child"):
        for key, value in list(vars(module).items()):
            if callable(value) and not isinstance(value, type):
                setattr(module, key, no)
