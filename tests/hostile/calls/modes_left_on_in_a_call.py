# what: enters modes in a call and never leaves them
# exit: 3
import torch
from torch.overrides import TorchFunctionMode


class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise RuntimeError("no functions")


class Net(torch.nn.Module):
    def forward(self, x, times):
        result = x * times
        Mode().__enter__()
        return result
