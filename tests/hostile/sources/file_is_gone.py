# what: deletes its own file when it is imported
# exit: 2
# leaves: gone.py
# may change its source
import os
import torch

os.rename(__file__, os.path.join(os.path.dirname(__file__), "gone.py"))


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
