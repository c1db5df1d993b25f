# what: turns scripting off, as PYTORCH_JIT=0 does
# exit: 2
# says: AttributeError: 'Net' object has no attribute '_c'
import os
import torch

os.environ["PYTORCH_JIT"] = "0"
torch.jit._state.disable()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
