# what: leaves hooks on saved tensors active that raise
# exit: 2
import torch


def no(*given):
    raise RuntimeError("no saving")


torch.autograd.graph.saved_tensors_hooks(no, no).__enter__()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        return self.layer(x) * times
