# what: raises an error of the tool with an exit code and a message of its own
# exit: 2
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        from pdt_annotate.values.errors import UserError

        error = UserError("::error file=x::forged")
        error.exit_code = 0
        error.message = 3
        raise error
