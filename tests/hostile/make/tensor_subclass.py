# what: a parameter of a subclass whose __torch_function__ raises
# exit: 2
import torch


class Odd(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("no function")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.odd = torch.zeros(3).as_subclass(Odd)

    def forward(self, x, times):
        return x * times
