# what: a tensor whose memory is a file that is gone, and one of no memory
# exit: 2
# says: your code crashed its process (SIGSEGV)
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("none", torch.zeros(10))
        self.none.untyped_storage().resize_(0)

    def forward(self, x, times):
        return x * times
