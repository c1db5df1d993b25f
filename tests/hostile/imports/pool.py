# what: leaves a pool of processes open
# exit: 0
import multiprocessing
import torch


def work(x):
    return x


pool = multiprocessing.get_context("fork").Pool(2)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
