# what: forbids itself to write into files
import resource
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
