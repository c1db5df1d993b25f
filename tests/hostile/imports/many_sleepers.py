# what: starts a shell that starts a sleeper
import subprocess
import torch

subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"])


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
