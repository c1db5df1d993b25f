# what: forward is a coroutine
# exit: 3
import torch


class Net(torch.nn.Module):
    async def forward(self, x, times):
        return x * times
