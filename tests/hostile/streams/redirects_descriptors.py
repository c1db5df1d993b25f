# what: lets descriptors 1 and 2 lead into a file of its own
# leaves: log.txt
import os
import torch

log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.dup2(log, 1)
os.dup2(log, 2)


class Net(torch.nn.Module):
    def forward(self, x, times):
        print("printed")
        return x * times
