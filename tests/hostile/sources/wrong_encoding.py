# what: says it is UTF-8, and is not
# exit: 2
import torch

NAME = 'é'

class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
