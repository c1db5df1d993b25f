# what: sets a profile function, and takes ours away in every call
# exit: 3
import sys
import threading
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        sys.setprofile(None)
        threading.setprofile(None)
        return x * times


sys.setprofile(lambda frame, event, arg: None)
