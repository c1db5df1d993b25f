# what: __del__ raises and exits, and brings itself back
# exit: 0
import torch

kept = []


class Net(torch.nn.Module):
    def __del__(self):
        kept.append(self)
        raise SystemExit(3)

    def forward(self, x, times):
        return x * times
