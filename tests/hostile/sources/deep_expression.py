# what: an expression nested ninety deep
import torch

VALUE = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
