# what: answers a tensor whose gradient hooks raise
# exit: 3
import torch


def hook(gradient):
    raise RuntimeError("no gradient")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, times):
        answer = self.layer(x) * times
        answer.register_hook(hook)
        return answer
