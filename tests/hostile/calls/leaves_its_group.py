# what: leaves its process group and session, and never ends
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        if os.fork():
            os._exit(0) if times > 10 else None
        else:
            os.setsid()
        while True:
            pass
