# what: properties that change what they read, and one that raises
# exit: 3
import torch


class Net(torch.nn.Module):
    count = 0

    @property
    def more(self):
        Net.count += 1
        return Net.count

    @property
    def less(self):
        raise RuntimeError("less")

    def forward(self, x, times):
        return x * times * self.more
