# what: never ends where torch says that it scripts
# exit: 2
# timeout: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        while torch.jit.is_scripting():
            times += 1
        return x * times
