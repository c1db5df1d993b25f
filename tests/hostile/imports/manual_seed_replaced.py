# what: replaces torch.manual_seed and the states of generators
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no seeds")


torch.manual_seed = torch.random.manual_seed = torch.get_rng_state = torch.set_rng_state = no
