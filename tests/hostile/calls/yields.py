# what: forward is a generator
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        yield x * times
