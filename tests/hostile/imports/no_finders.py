# what: takes all finders of imports away
# exit: 0 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.meta_path.clear()
sys.path_hooks.clear()
