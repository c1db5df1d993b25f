# what: a thread that reaps whatever child ends
# exit: 0
import os
import threading
import torch


def reap():
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            threading.Event().wait(0.001)


threading.Thread(target=reap, daemon=True).start()


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
