# what: answers a dict that holds itself, deep inside
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        answer = {"x": x}
        answer["again"] = ({"inner": [answer]},)
        return answer
