# what: a factory whose results are another class each time
# target: make
import random
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


class Other(torch.nn.Module):
    def forward(self, x, times):
        return x + times


calls = []


def make():
    calls.append(1)
    return Net() if len(calls) % 2 else Other()
