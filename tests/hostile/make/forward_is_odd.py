# what: forward is a number
# exit: 2
import torch


class Net(torch.nn.Module):
    forward = 3
