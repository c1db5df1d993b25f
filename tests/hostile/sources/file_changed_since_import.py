# what: its file holds something else by the time it is imported
# exit: 3
# may change its source
import torch

with open(__file__, "w") as file:
    file.write("class Net:\n    pass\n")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
