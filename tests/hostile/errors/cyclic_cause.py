# what: exceptions that are each other's cause and context
# exit: 2
# says: ValueError: one
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        one, two = ValueError("one"), ValueError("two")
        one.__cause__, two.__cause__ = two, one
        one.__context__, two.__context__ = two, one
        raise one  # here
