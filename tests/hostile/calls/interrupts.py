# what: raises KeyboardInterrupt in a call
# exit: 2
# says: KeyboardInterrupt
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise KeyboardInterrupt  # here
