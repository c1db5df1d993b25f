# what: answers a tensor without memory
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x.to("meta"), torch.empty(10**6, 10**6, device="meta")
