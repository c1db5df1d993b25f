# coding: klingon
# what: is in an encoding that nobody knows
# exit: 2
# says: klingon
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
