# what: the name of the class stands for a scripted instance
# exit: 2
# target: net
# says: scripted already
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x


net = torch.jit.script(Net())
