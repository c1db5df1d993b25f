# what: changes torch's defaults in a call
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        result = x * times
        torch.set_default_dtype(torch.float64)
        torch.set_default_device("meta")
        torch.set_grad_enabled(False)
        return result
