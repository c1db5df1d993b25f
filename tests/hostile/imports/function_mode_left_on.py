# what: leaves a function mode active that raises
# exit: 2
# says: RuntimeError: no functions
# at: here
import torch
from torch.overrides import TorchFunctionMode


class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise RuntimeError("no functions")  # here


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Mode().__enter__()
