# what: replaces pickle.dumps by a forger of replies, which would run code in whoever loads them
import os
import pickle
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


class Forged:
    def __reduce__(self):
        return os.write, (2, b"forged words ran in pid %d\n" % os.getpid())


original = pickle.dumps
pickle.dumps = lambda value, *more, **named: original(Forged())
