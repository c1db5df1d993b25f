# what: answers a list nested a hundred thousand deep
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        answer = [x]
        for _ in range(100_000):
            answer = [answer]
        return answer
