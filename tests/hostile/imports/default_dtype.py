# what: sets another default dtype and device
import torch

torch.set_default_dtype(torch.float16)
torch.set_default_device("meta")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
