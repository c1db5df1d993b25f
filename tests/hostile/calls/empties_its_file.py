# what: empties its own source file
# exit: 3
# may change its source
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        open(__file__, "w").close()
        return x * times
