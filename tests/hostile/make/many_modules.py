# what: five hundred children
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(500))

    def forward(self, x, times):
        return x * times
