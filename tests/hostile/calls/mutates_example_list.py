# what: fills and empties the list that it is given
# arg: [1, 2]
# arg: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        x.clear()
        x.append(times)
        return torch.zeros(times)
