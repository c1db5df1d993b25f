# what: _modules holds numbers and None, _parameters holds text
# exit: 2
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self._modules["number"] = 3
        self._modules["none"] = None
        self._parameters["text"] = "text"
        self._buffers["list"] = [1]

    def forward(self, x, times):
        return x * times
