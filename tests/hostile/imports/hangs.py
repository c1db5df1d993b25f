# what: never ends being imported
# exit: 2
# says: your code did not finish within 2 s
# at: here
# timeout: 2
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


while True: pass  # here
