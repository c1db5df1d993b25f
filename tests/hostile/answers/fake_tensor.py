# what: answers a fake tensor, whose mode is gone
# exit: 3
import torch
from torch._subclasses.fake_tensor import FakeTensorMode


class Net(torch.nn.Module):
    def forward(self, x, times):
        with FakeTensorMode(allow_non_fake_inputs=True):
            return torch.empty(3) * x[0, 0]
