# what: registers hooks on all modules that raise
# exit: 2
# says: RuntimeError: hooked
# at: here
import torch


def hook(module, given):
    raise RuntimeError("hooked")  # here


torch.nn.modules.module.register_module_forward_pre_hook(hook)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
