# coding: latin-1
# what: is in Latin-1, and says so in its first line
import torch

NAME = 'é'

class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
