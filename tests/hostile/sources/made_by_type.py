# what: a class that type made, whose methods have no source
# exit: 3
import torch

space = {}
exec("def forward(self, x, times):\n    return x * times", space)
Net = type("Net", (torch.nn.Module,), {"forward": space["forward"]})
