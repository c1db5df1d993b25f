# what: turns the collection of garbage off and freezes it
import gc
import torch

gc.disable()
gc.set_threshold(0)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
