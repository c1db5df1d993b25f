# what: is no Python
# exit: 2
# says: SyntaxError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times

class def  # here
