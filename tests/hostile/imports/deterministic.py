# what: asks for deterministic algorithms, and for many threads
# exit: 0
import torch

torch.use_deterministic_algorithms(True)
torch.set_num_threads(4)


class Net(torch.nn.Module):
    def forward(self, x, times):
        return torch.nn.functional.relu(x) * times
