# what: __len__ is negative, __bool__ no bool, __repr__ no text, __hash__ no number, __eq__ a tensor
# exit: 2
# says: TypeError: __hash__ method should return an integer
import torch


class Net(torch.nn.Module):
    def __len__(self):
        return -1

    def __bool__(self):
        return 3

    def __repr__(self):
        return 3

    def __hash__(self):
        return "text"

    def __eq__(self, other):
        return torch.zeros(3)

    def forward(self, x, times):
        return x * times
