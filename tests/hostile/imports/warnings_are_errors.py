# what: makes every warning an error, and warnings.warn raise
# exit: 3
import warnings
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def warn(*given, **more):
    raise RuntimeError("warned")


warnings.simplefilter("error")
warnings.warn = warnings.showwarning = warn
