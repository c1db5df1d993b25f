# what: annotations in the class whose every use raises
# exit: 3
import torch


class Odd:
    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")

    __repr__ = __eq__ = __hash__ = None


class Net(torch.nn.Module):
    size: Odd()

    def forward(self, x, times):
        return x * times


Net.__annotations__["more"] = Odd()
