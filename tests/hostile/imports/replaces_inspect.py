# what: replaces what reads sources: inspect, ast, linecache and tokenize
# exit: 2
import ast
import inspect
import linecache
import tokenize
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times


def no(*given, **more):
    raise RuntimeError("no reading")


inspect.getsource = inspect.signature = inspect.getattr_static = inspect.unwrap = no
ast.parse = ast.dump = linecache.getline = linecache.getlines = linecache.checkcache = no
tokenize.generate_tokens = tokenize.open = no
