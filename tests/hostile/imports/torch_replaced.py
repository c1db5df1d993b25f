# what: puts another module in torch's place
# exit: 0 2 3
import sys
import types
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.modules["torch"] = types.ModuleType("torch")
