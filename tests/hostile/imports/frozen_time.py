# what: freezes all clocks, and hangs
# exit: 2
# says: your code did not finish within 2 s
# timeout: 2
import time
import torch

time.monotonic = time.time = time.perf_counter = lambda: 0.0
time.sleep = lambda seconds: None


class Net(torch.nn.Module):
    def forward(self, x, times):
        while True:
            pass
