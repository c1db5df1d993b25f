# what: becomes another program
# exit: 2
# says: your code ended its process with exit status 0
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.execv("/bin/true", ["true"])
