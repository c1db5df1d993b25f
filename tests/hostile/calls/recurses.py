# what: recurses without end
# exit: 2
# says: RecursionError
# says: at recurses.py:
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return self.forward(x, times)
