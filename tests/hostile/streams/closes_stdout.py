# what: closes stdout and stderr as files
# exit: 2
# says: ValueError: I/O operation on closed file
import sys
import torch

sys.stdout.close()
sys.stderr.close()


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
