# what: parameters, buffers, modules and children raise, and give what is none
# exit: 2
import torch


class Net(torch.nn.Module):
    def no(self, *given, **more):
        raise RuntimeError("no walk")

    parameters = named_parameters = buffers = named_buffers = modules = named_modules = children = named_children = no

    def forward(self, x, times):
        return x * times
