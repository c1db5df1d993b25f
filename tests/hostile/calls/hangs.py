# what: never ends a call
# exit: 2
# says: your code did not finish within 2 s
# at: here
# timeout: 2
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        while True: times += 1  # here
