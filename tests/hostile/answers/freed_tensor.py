# what: answers a tensor whose memory was freed
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        x.untyped_storage().resize_(0)
        return x
