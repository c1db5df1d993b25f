# what: replaces methods of torch.Tensor
# exit: 2
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no tensors")


torch.Tensor.clone = torch.Tensor.detach = torch.Tensor.__eq__ = torch.equal = torch.allclose = no
