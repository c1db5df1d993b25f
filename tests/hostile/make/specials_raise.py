# what: __eq__, __hash__, __bool__, __repr__, __len__, __iter__, __contains__ and __dir__ raise
# exit: 2
import torch


class Net(torch.nn.Module):
    def no(self, *given):
        raise RuntimeError("no special")

    __eq__ = __hash__ = __bool__ = __repr__ = __str__ = __len__ = __iter__ = __contains__ = __dir__ = no

    def forward(self, x, times):
        return x * times
