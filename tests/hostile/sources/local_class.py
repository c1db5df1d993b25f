# what: a factory whose class is made inside it, anew each time
# target: make
import torch


def make():
    class Inner(torch.nn.Module):
        def forward(self, x, times):
            return x * times

    return Inner()
