# what: replaces builtins.Exception and BaseException by classes of its own
# exit: 2
import builtins
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


class Mine(BaseException):
    pass


builtins.Exception = builtins.BaseException = builtins.KeyError = Mine
