# what: an exception class whose __name__ raises
# exit: 2
# at: here
import torch


class Meta(type):
    def __getattribute__(cls, name):
        if name in ("__name__", "__qualname__", "__module__"):
            raise RuntimeError("no name")
        return super().__getattribute__(name)


class Odd(Exception, metaclass=Meta):
    pass


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd("words")  # here
