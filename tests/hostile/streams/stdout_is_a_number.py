# what: stdout is a number
# exit: 2
# says: AttributeError
import sys
import torch

sys.stdout = sys.stderr = 3


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
