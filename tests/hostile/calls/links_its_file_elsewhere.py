# what: puts a link to another file in the place of its own
# exit: 3
# leaves: elsewhere.txt
# may change its source
import os
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        if not os.path.islink(__file__):
            with open("elsewhere.txt", "w") as file:
                file.write("precious\n")
            os.remove(__file__)
            os.symlink("elsewhere.txt", __file__)
        return x * times
