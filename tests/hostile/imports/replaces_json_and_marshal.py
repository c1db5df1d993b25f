# what: replaces what turns values into bytes
# exit: 2
import copyreg
import io
import json
import marshal
import pickle
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no bytes")


json.dumps = json.loads = marshal.dumps = marshal.loads = pickle.loads = pickle.Pickler = no
copyreg.__reduce_ex__ = no
