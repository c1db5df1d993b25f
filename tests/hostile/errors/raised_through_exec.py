# what: raises in code of no file, and of one that is not its own
# exit: 2
# says: ValueError: from nowhere
import torch

odd = {}
exec(compile("def fail():\n    raise ValueError('from nowhere')", "/etc/passwd", "exec"), odd)


class Net(torch.nn.Module):
    def forward(self, x, times):
        odd["fail"]()
