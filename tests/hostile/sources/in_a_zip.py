# what: its model comes from a zip that it makes
# exit: 3
# leaves: inner.zip
import sys
import zipfile
import torch

with zipfile.ZipFile("inner.zip", "w") as archive:
    archive.writestr("zipped.py", "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x, times):\n        return x * times\n")

sys.path.insert(0, "inner.zip")
from zipped import Net
