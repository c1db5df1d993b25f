# what: an exception whose every attribute raises
# exit: 2
# says: Odd
# at: here
import torch


class Odd(Exception):
    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise Odd("words")  # here
