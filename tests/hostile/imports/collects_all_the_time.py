# what: collects garbage on every allocation, with a callback that raises
import gc
import torch


def call_back(phase, info):
    raise RuntimeError("collecting")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


gc.set_threshold(1000, 1, 1)
gc.callbacks.append(call_back)
