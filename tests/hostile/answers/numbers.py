# what: answers NaN, infinities, and an int of ten thousand digits
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return float("nan"), float("-inf"), -0.0, 10**10_000
