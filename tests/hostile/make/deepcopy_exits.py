# what: __deepcopy__ exits
# exit: 0 2 3
import torch


class Net(torch.nn.Module):
    def __deepcopy__(self, memo):
        raise SystemExit(8)

    def forward(self, x, times):
        return x * times
