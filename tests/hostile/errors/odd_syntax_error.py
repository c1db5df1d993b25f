# what: a syntax error whose place is odd
# exit: 2
# says: SyntaxError
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        error = SyntaxError("odd")
        error.filename, error.lineno, error.offset, error.text, error.msg = 3, "x", -5, b"x", None
        raise error
