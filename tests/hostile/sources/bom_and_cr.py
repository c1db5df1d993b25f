# what: begins with a BOM, and its lines end in CR LF
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
