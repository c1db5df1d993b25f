# what: __getattribute__ raises for everything
# exit: 2
# says: RuntimeError: no
# at: here
import torch


class Net(torch.nn.Module):
    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")  # here

    def forward(self, x, times):
        return x * times
