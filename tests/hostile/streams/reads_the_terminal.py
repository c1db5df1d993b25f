# what: opens the terminal
# exit: 2
# says: OSError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        open("/dev/tty").readline()  # here
        return x * times
