# what: deletes the working directory's way back and stands in a deleted one
import os
import tempfile
import torch

folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
