# what: SystemExit whose code has a repr that raises
# exit: 2
# at: here
import torch


class Odd:
    def __repr__(self):
        raise RuntimeError("no words")


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise SystemExit(Odd())  # here
