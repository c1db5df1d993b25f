# what: puts another module in torch's place
# exit: 2
# says: AttributeError: module 'torch' has no attribute 'accelerator'
import sys
import types
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.modules["torch"] = types.ModuleType("torch")
