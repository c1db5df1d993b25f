# what: leaves inference mode on
import torch

mode = torch.inference_mode()
mode.__enter__()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        return self.layer(x) * times
