# what: ends every fork at once
# exit: 2
# says: your code ended its process with exit status 4
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


os.register_at_fork(after_in_child=lambda: os._exit(4))
