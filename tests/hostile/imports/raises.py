# what: raises while it is imported
# exit: 2
# says: importing raises: ValueError: not today
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


raise ValueError("not today")  # here
