# what: has a fixed amount of memory, and wants more
# exit: 2
# at: here
import resource
import torch

used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return torch.zeros(1 << 30)  # here
