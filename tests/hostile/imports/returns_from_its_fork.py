# what: forks, and both go on
# exit: 2
# says: what came back from the process that runs your code is no answer
import os
import torch

os.fork()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
