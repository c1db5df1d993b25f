# what: answers a dict whose keys have another hash each time, and lie
# exit: 3
import random
import torch


class Key:
    def __hash__(self):
        return random.getrandbits(30)

    def __eq__(self, other):
        raise RuntimeError("no equality")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return {Key(): x, Key(): times}
