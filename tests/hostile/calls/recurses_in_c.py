# what: recurses through repr, in C
# exit: 2
import torch


class Odd:
    def __repr__(self):
        return repr(self)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return repr(Odd())
