# what: __deepcopy__ exits
# exit: 2
import torch


class Net(torch.nn.Module):
    def __deepcopy__(self, memo):
        raise SystemExit(8)

    def forward(self, x, times):
        return x * times
