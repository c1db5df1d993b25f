# what: the module's globals have keys that are no text
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


class Odd(str):
    def __hash__(self):
        return 3

    def __eq__(self, other):
        raise RuntimeError("no equality")


globals()[3] = 3
globals()[None] = None
