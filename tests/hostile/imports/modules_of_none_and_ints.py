# what: leaves entries in sys.modules that are no modules
import sys
import torch

sys.modules["odd_none"] = None
sys.modules["odd_int"] = 3
sys.modules["odd_text"] = "text"


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
