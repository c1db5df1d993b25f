# what: changes the working directory and the mask of new files
import os
import torch

os.chdir("/")
os.umask(0o777)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
