# what: answers by the clock
# exit: 3
import time
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times * (time.perf_counter_ns() % 1000)
