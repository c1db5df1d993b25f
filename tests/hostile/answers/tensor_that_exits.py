# what: answers a tensor of a subclass whose __torch_function__ exits, and whose attributes do
# exit: 3
import torch


class Odd(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise SystemExit(3)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x.as_subclass(Odd)
