# what: turns gradients off, and anomaly detection on
# exit: 0
import torch

torch.set_grad_enabled(False)
torch.autograd.set_detect_anomaly(True)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        return self.layer(x) * times
