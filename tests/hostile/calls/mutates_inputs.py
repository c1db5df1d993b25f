# what: changes the tensors that it is given, resizes and frees them
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        x.resize_(7).zero_()
        x.untyped_storage().resize_(0)
        return torch.zeros(2) * times
