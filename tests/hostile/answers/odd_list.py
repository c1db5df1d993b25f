# what: answers a list whose methods lie
# exit: 3
import itertools
import torch


class Odd(list):
    def __len__(self):
        return 10**6

    def __iter__(self):
        return itertools.repeat(3)

    def __getitem__(self, index):
        return 3

    def __eq__(self, other):
        return torch.zeros(3)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd([x])
