# what: raises StopIteration, which contexts made of generators take for their own
# exit: 2
# says: StopIteration
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise StopIteration(3)  # here
