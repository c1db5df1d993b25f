# what: answers a named tuple whose fields say more than it has
# exit: 3
import collections
import torch

Pair = collections.namedtuple("Pair", "first second")
Pair._fields = ("first", "second", "third")
Pair.__new__.__defaults__ = (3,)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Pair(x, times)
