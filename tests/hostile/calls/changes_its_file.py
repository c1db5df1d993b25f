# what: appends to its own source file in every call
# exit: 3
# may change its source
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        with open(__file__, "a") as file:
            file.write("# more\n")
        return x * times
