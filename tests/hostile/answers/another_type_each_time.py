# what: answers another type each time
# exit: 3
import itertools
import torch

answers = itertools.cycle([None, 3, "text", torch.zeros(2), [1], {"a": 1}, (1, 2), 2.5])


class Net(torch.nn.Module):
    def forward(self, x, times):
        return next(answers)
