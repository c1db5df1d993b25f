# what: __deepcopy__ gives a number, and __reduce_ex__ exits
# exit: 3
import torch


class Net(torch.nn.Module):
    def __deepcopy__(self, memo):
        return 3

    def __reduce_ex__(self, protocol):
        raise SystemExit(8)

    def forward(self, x, times):
        return x * times
