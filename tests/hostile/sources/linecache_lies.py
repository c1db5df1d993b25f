# what: fills linecache with other lines for its file, and with odd entries
# exit: 3
import linecache
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


linecache.cache[__file__] = (10, None, ["import os\n", "os.abort()\n"] * 20, __file__)
linecache.cache["<odd>"] = 3
linecache.cache[3] = None
linecache.cache["<lazy>"] = (lambda: 1 / 0,)
