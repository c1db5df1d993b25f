# what: logging whose handlers raise
import logging
import torch


class Handler(logging.Handler):
    def emit(self, record):
        raise RuntimeError("no log")


logging.basicConfig(level=1, handlers=[Handler()])
logging.raiseExceptions = True


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
