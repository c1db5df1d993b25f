# what: raises MemoryError
# exit: 2
# says: MemoryError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise MemoryError  # here
