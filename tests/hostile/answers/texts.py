# what: answers text with halves of characters and escapes
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return "\udcff\ud800", "\x1b[31m", "::error::", "a\0b"
