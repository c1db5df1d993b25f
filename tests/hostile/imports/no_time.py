# what: may use no more time of the processor than it has used
# exit: 2
# says: your code crashed its process
import resource
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        while True:
            pass


resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
