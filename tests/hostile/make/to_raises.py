# what: to, train, eval, float, state_dict, requires_grad_ and apply raise
# exit: 2
import torch


class Net(torch.nn.Module):
    def no(self, *given, **more):
        raise RuntimeError("no such thing")

    to = train = eval = float = state_dict = requires_grad_ = apply = cpu = _apply = no

    def forward(self, x, times):
        return x * times
