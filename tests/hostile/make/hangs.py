# what: never ends being constructed
# exit: 2
# says: your code did not finish within 2 s
# at: here
# timeout: 2
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        while True: pass  # here

    def forward(self, x, times):
        return x * times
