# what: a thread ends the process while the main one works
# exit: 2
# says: your code ended its process with exit status 6
import os
import threading
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        threading.Thread(target=os._exit, args=(6,)).start()
        threading.Event().wait()
