# what: raises a BaseException whose str raises
# exit: 2
# says: Odd
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times



class Odd(BaseException):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


raise Odd  # here
