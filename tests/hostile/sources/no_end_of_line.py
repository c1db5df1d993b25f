# what: its last line has no end
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times