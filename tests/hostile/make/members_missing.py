# what: takes away what every module has
# exit: 2
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        del self.__dict__["_modules"], self.__dict__["_buffers"], self.__dict__["training"]

    def forward(self, x, times):
        return x * times
