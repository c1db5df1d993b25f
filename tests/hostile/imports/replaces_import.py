# what: replaces builtins.__import__ by what raises
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no_import(name, *more):
    raise ImportError(f"no import of {name}")


builtins.__import__ = no_import
