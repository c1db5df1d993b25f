# what: starts a thread that never ends, no daemon
import threading
import torch

threading.Thread(target=threading.Event().wait).start()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
