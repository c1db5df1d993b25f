# what: modules whose __file__ is a number, bytes, relative, or has NUL in it
import sys
import types
import torch

for number, file in enumerate((3, b"x.py", "x.py", "/a\0b.py", "", [], "/nowhere/x.py", "\udcff.py")):
    module = types.ModuleType(f"odd{number}")
    module.__file__ = file
    module.__spec__ = number
    module.__path__ = number
    sys.modules[module.__name__] = module


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times
