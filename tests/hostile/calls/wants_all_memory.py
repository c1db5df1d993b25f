# what: asks for more memory than there is
# exit: 2
# says: RuntimeError
# at: here
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return torch.empty(1 << 50)  # here
