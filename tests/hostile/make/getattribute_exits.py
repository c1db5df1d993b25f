# what: __getattribute__ exits once it is built
# exit: 2
# says: sys.exit
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        Net.__getattribute__ = Net.leave

    def leave(self, name):
        raise SystemExit(7)

    def forward(self, x, times):
        return x * times
