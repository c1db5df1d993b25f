# what: catches whatever is raised, and goes on
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        try:
            return x * times
        finally:
            return x * times
