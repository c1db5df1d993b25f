# what: takes all finders of imports away
# exit: 2
# says: ModuleNotFoundError: No module named 'pdt_annotate.inputs.specs.tensors'
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.meta_path.clear()
sys.path_hooks.clear()
