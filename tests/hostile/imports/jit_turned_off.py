# what: turns scripting off, as PYTORCH_JIT=0 does
# exit: 0 2 3
import os
import torch

os.environ["PYTORCH_JIT"] = "0"
torch.jit._state.disable()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
