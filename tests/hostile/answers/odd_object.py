# what: answers an object whose every attribute raises
# exit: 3
import torch


class Odd:
    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")

    def __eq__(self, other):
        raise SystemExit(3)

    __hash__ = None
    __repr__ = __eq__


class Net(torch.nn.Module):
    def forward(self, x, times):
        return Odd()
