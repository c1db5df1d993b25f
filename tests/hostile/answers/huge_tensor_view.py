# what: answers an expanded view of a terabyte
# exit: 3
# timeout: 5
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x.flatten()[:1].expand(1 << 40)
