# what: a syntax error that names a file of somebody else's
# exit: 2
# says: SyntaxError
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        raise SyntaxError("odd", ("/etc/passwd\x1b[31m", 10**9, 10**9, "text"))
