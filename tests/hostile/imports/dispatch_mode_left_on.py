# what: leaves a dispatch mode active that raises
# exit: 2
# says: RuntimeError: no dispatch
# at: here
import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise RuntimeError("no dispatch")  # here


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


Mode().__enter__()
