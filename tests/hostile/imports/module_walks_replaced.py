# what: replaces what walks modules: modules, named_modules, children, parameters
# exit: 2
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no walks")


for name in ("modules", "named_modules", "children", "named_children", "parameters", "named_parameters", "buffers"):
    setattr(torch.nn.Module, name, no)
