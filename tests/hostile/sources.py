# === bom: begins with a BOM
# bytes: utf-8-sig

# === builtin_forward: forward is a function written in C
# exit: 3
import operator

class Net(torch.nn.Module):
    forward = staticmethod(operator.mul)

# === empty: is empty but for its first line
# exit: 2
# target: Net
# says: the module 'empty' has no 'Net'

# === file_changed_since_import: its file holds something else by the time it is imported
# exit: 3
# may change its source
with open(__file__, "w") as file:
    file.write("class Net:\n    pass\n")

# === file_is_gone: deletes its own file when it is imported
# exit: 2
# leaves: gone.py
# may change its source
os.rename(__file__, os.path.join(os.path.dirname(__file__), "gone.py"))

# === in_a_zip: its model comes from a zip that it makes
# exit: 3
# leaves: inner.zip
import zipfile

with zipfile.ZipFile("inner.zip", "w") as archive:
    archive.writestr("zipped.py", "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x, times):\n        return x * times\n")

sys.path.insert(0, "inner.zip")
from zipped import Net

# === made_by_type: a class that type made, whose methods have no source
# exit: 3
space = {}
exec("def forward(self, x, times):\n    return x * times", space)
Net = type("Net", (torch.nn.Module,), {"forward": space["forward"]})

# === same_names: the class and its forward are defined thrice
class Net(torch.nn.Module):
    def forward(self, x, times):
        return x + times

class Net(torch.nn.Module):
    def forward(self, x, times):
        return x - times

    def forward(self, x, times):
        return x * times

# === syntax_error: is no Python
# exit: 2
# says: SyntaxError
class def  # here

# === wrong_encoding: holds Latin-1, and does not say so
# exit: 2
# bytes: latin-1
NAME = "é"
