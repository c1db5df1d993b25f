# what: answers a quantized tensor
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
