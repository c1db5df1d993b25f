# what: empties the globals of every module in a call
# exit: 2
import sys
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        result = x * times
        for name, module in list(sys.modules.items()):
            if name.startswith("pdt_annotate"):
                vars(module).clear()
        return result
