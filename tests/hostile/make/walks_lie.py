# what: parameters, modules and children give numbers, and never end
# exit: 2
# timeout: 5
import itertools
import torch


class Net(torch.nn.Module):
    def modules(self):
        return itertools.count()

    def named_modules(self, *given, **more):
        return ((str(number), number) for number in itertools.count())

    def named_parameters(self, *given, **more):
        return 3

    def children(self):
        return None

    def forward(self, x, times):
        return x * times
