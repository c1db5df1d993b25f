# what: puts a finder first that raises whatever is imported
# exit: 2
# says: no import
import sys
import torch


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        raise RuntimeError(f"no import of {name}")


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


sys.meta_path.insert(0, Finder)
