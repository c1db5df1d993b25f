# what: recurses without end while it is imported
# exit: 2
# says: RecursionError
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times



def again():
    return again()


again()
