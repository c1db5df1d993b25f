# what: a message of control characters, escapes, and commands to a CI
# exit: 2
# says: ValueError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise ValueError("\x1b[2J\x1b]0;title\x07\r\x00\x9b31m\n::error file=x.py::forged\n\u202egnol")  # here
