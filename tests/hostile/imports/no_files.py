# what: forbids itself to open files
# exit: 2
# says: OSError: [Errno 24] Too many open files
import resource
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
