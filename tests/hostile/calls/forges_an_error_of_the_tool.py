# what: raises the tool's own errors
# exit: 2
# says: what came back from the process that runs your code is no answer
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        from pdt_annotate.values.errors import NothingTaken

        raise NothingTaken("\x1b[31mall is well")
