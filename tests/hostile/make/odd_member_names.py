# what: attributes whose names are no identifiers
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.__dict__["a b"] = 3
        self.__dict__["\x1b[31m"] = 3
        self.__dict__["class"] = torch.zeros(3)
        self.register_buffer("::error", torch.zeros(2))

    def forward(self, x, times):
        return x * times
