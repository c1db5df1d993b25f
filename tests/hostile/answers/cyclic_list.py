# what: answers a list that holds itself
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        answer = [x * times]
        answer.append(answer)
        return answer
