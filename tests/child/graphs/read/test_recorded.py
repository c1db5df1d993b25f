"""Graphs of `torch.fx` and what is built on it: paths of parameters, however they are passed in, and places."""

from __future__ import annotations

import pytest
import torch
from pictured import Attention, Blocks, Gate, node_of, picture_of
from torch import nn

X = torch.ones(2, 3, 8, 8)


@pytest.mark.parametrize("of", ["export", "make_fx", "compile"])
def test_parameters_have_the_paths_of_the_target(of: str) -> None:
    graph = picture_of(Blocks().eval(), (X,), of=of)
    conv = next(node for node in graph.walk() if "conv" in node.kind)
    assert [graph.values[name].path for name in conv.inputs[1:3]] == ["stem.weight", "stem.bias"]
    assert graph.values[conv.outputs[0]].shape == (2, 4, 6, 6)
    assert len(graph.body.inputs) == 1
    assert of == "make_fx" or (conv.module, conv.place.file.rpartition("/")[2]) == ("stem", "pictured.py")


def test_modules_that_stay_whole_and_shapes_of_a_run() -> None:
    graph = picture_of(Blocks().eval(), (X,), of="fx")
    conv = node_of(graph, "nn::Conv2d", 2)
    assert (conv.module, graph.values[conv.outputs[0]].shape) == ("blocks.1.conv", (2, 4, 6, 6))


def test_a_root_that_dynamo_calls_otherwise() -> None:
    graph = picture_of(nn.Sequential(nn.Linear(3, 2)), (torch.ones(1, 3),), of="compile")
    assert {value.path for value in graph.values.values()} >= {"0.weight", "0.bias"}


def test_several_graphs_are_regions() -> None:
    graph = picture_of(Gate(), (torch.ones(3),), of="compile-breaks")
    names = [region.name for node in graph.body.nodes for region in node.regions]
    assert names == [f"graph {index}" for index in range(len(names))] and len(names) > 1
    assert len({node.id for node in graph.walk()}) == len(list(graph.walk()))


def test_what_the_operator_calls_its_inputs() -> None:
    graph = picture_of(Attention().eval(), (torch.ones(2, 3, 8),), of="export")
    node = next(node for node in graph.walk() if node.kind == "aten::layer_norm")
    assert node.arguments[:3] == ("input", "normalized_shape", "weight") and len(node.arguments) == len(node.inputs)
