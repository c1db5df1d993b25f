# what: reads its standard input
# exit: 2
# says: EOFError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        input("what now? ")  # here
        return x * times
