# what: form feeds, tabs and odd spaces between its lines
import torch


class Net(torch.nn.Module):

    def forward(self, x, times):
	
        return x * times
