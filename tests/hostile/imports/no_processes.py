# what: forbids itself to fork
import resource
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
