# what: forward is a descriptor that gives another function each time
# exit: 3
import torch


class Changing:
    def __get__(self, instance, owner):
        return lambda x, times: x * times


class Net(torch.nn.Module):
    forward = Changing()
