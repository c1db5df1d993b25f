"""Round trips: what a graph says in Python takes the state of the original, and answers what that answers."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from pictured import Attention, Blocks, Counting, Gate, Kinds, Loops, Recurrent, picture_of
from torch import nn

from pdt_annotate.graphs.to_python import class_name, to_python
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph

R = torch.rand


def run(graph: Graph, state: Any) -> Any:
    names: dict[str, Any] = {}
    exec(compile(to_python(graph), "generated.py", "exec"), names)
    module = names[class_name(graph)]()
    module.load_state_dict(state)
    return module.eval()


def encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Dropout(), nn.Linear(8, 2), nn.Softmax(-1))


CASES = [
    (Blocks, [(R(2, 3, 8, 8),), (R(5, 3, 9, 7),)], "frozen trace export"),
    (mlp, [(R(2, 4),), (R(7, 4),)], "script"),
    (encoder, [(R(2, 3, 16),), (R(4, 7, 16),), (R(4, 7, 16), torch.ones(7, 7).triu(1).bool())], "frozen"),
    (encoder, [(R(2, 3, 16),)], "trace"),
    (Gate, [(R(3),), (-R(4),)], "frozen"),
    (Loops, [(R(3, 2),), (R(1, 2), 5, R(2)), (R(4, 1), 0)], "frozen"),
    (Kinds, [(R(2, 4),), (R(3, 6).double(), "x")], "frozen script"),
    (Counting, [(R(2, 4),), (R(3, 4),)], "frozen script"),
    (Recurrent, [(torch.randint(0, 10, (2, 5)),), (torch.randint(0, 10, (3, 4)),)], "frozen trace"),
    (Attention, [(R(2, 3, 8),), (R(4, 5, 8),)], "frozen"),
]


@pytest.mark.parametrize(("make", "calls", "of"), [(m, c, of) for m, c, ways in CASES for of in ways.split()])
def test_what_it_says_answers_the_same(make: Any, calls: list[Any], of: str) -> None:
    torch.manual_seed(0)
    model = make().eval()
    graph = picture_of(model, calls[0], of=of, no_grad=True)
    torch.manual_seed(1)  # another state: parameters that were alike at first are not any more
    state = {name: torch.rand_like(value) if value.is_floating_point() else value for name, value in state_of(model)}
    model.load_state_dict(state)
    generated = run(graph, state)
    for args in calls:
        with torch.no_grad():
            expected, found = model(*copy.deepcopy(args)), generated(*copy.deepcopy(args))
        torch.testing.assert_close(found, expected)


def state_of(model: nn.Module) -> Any:
    return model.state_dict().items()


def test_it_reads_like_the_source() -> None:
    text = to_python(picture_of(Blocks(), (R(1, 3, 8, 8),)))
    forward = text[text.index("    def forward") :]
    assert forward.splitlines()[:7] == [
        "    def forward(self, x):",
        "        # stem",
        "        conv2d = torch.conv2d(x, self.stem.weight, self.stem.bias)",
        "        # the module itself",
        "        result = torch.relu(conv2d)",
        "        # blocks.0.conv",
        "        conv2d_1 = torch.conv2d(result, self.blocks[0].conv.weight, self.blocks[0].conv.bias, padding=[1, 1])",
    ]
    assert "self.blocks = nn.ModuleList(nn.Module() for _ in range(2))" in text


def test_a_raised_error_is_raised() -> None:
    generated = run(picture_of(Loops(), (R(3, 2),)), {})
    with pytest.raises(ValueError, match="two dimensions, not 3"):
        generated(R(1, 2, 3))


def test_a_module_that_stays_whole_is_refused() -> None:
    graph = picture_of(Blocks(), (R(1, 3, 8, 8),), of="fx")
    with pytest.raises(UserError, match="no words for nn::Conv2d"):
        to_python(graph)
