"""Operators by the names that people know."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

from pdt_annotate.captures.subject import count_operators


class Own(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        return x


class Tracer(torch.fx.Tracer):
    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        return True


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2), Own()])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return operator.add(F.softmax(torch.relu(F.linear(x, x)), 0).sigmoid(), torch.nn.functional.gelu(x))[0]


def test_modules_functions_and_methods_have_the_names_by_which_they_are_called() -> None:
    module = Net()
    graph = torch.fx.GraphModule(module, Tracer().trace(module)).graph
    modules = {"nn.Linear": 1, "Own": 1}
    functions = {"F.linear": 1, "F.softmax": 1, "F.gelu": 1, "torch.relu": 1, "operator.add": 1, "operator.getitem": 1}
    assert count_operators([graph]) == modules | functions | {"Tensor.sigmoid": 1}


def test_operators_of_aten_have_their_overload() -> None:
    graph = make_fx(lambda x: x.relu() + 1 + 2)(torch.ones(2)).graph
    assert count_operators([graph]) == {"aten.add.Tensor": 2, "aten.relu.default": 1}


def test_those_of_scripted_branches_are_counted_and_constants_are_not() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        if bool(x.sum() > 0):
            return x * 2
        return x * 3

    graph = torch.jit.script(f).graph
    assert count_operators([graph]) == {"aten::mul": 2, "aten::sum": 1, "aten::gt": 1, "aten::Bool": 1, "prim::If": 1}


def test_graphs_are_added_up_the_most_frequent_first() -> None:
    counted = count_operators([{"aten.add": 1, "aten.mul": 2}, {"aten.mul": 1}])
    assert list(counted.items()) == [("aten.mul", 3), ("aten.add", 1)]
