# what: a function of autograd whose backward never ends
# exit: 2
# timeout: 3
import torch


class Odd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        while True:
            pass


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        return Odd.apply(self.layer(x)) * times
