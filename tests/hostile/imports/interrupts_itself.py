# what: raises KeyboardInterrupt while it is imported
# exit: 2
# says: KeyboardInterrupt
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


raise KeyboardInterrupt  # here
