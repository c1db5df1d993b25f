# what: replaces os.fork and what goes with it by what raises
# exit: 2
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no processes")


os.fork = os.waitpid = os.setpgid = os.killpg = os.kill = no
