# what: never ends its second call
# timeout: 3
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x, times):
        self.calls += 1
        while self.calls > 1:
            pass
        return x * times
