# what: answers an object whose __class__ is Tensor
# exit: 3
import torch


class Odd:
    __class__ = torch.Tensor

    def __getattr__(self, name):
        raise SystemExit(3)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd()
