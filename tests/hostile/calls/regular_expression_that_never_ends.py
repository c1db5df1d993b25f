# what: stays in C for ever, with the lock of the interpreter held
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import re
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        re.match(r"(a+)+$", "a" * 64 + "b")
        return x * times
