# what: forward is a function written in C
# exit: 3
import operator
import torch


class Net(torch.nn.Module):
    forward = staticmethod(operator.mul)
