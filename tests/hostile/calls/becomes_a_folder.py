# what: puts a fifo in the place of its own source
# exit: 3
# may change its source
import os
import torch

SOURCE = open(__file__).read()


class Net(torch.nn.Module):
    def forward(self, x, times):
        os.remove(__file__)
        os.mkdir(__file__)
        return x * times
