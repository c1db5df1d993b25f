"""Programs as graphs: the module, the line and the inputs of each node; and conversion to Python and back."""

import copy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from pictured import Attention, Blocks, Counting, Gate, Kinds, Loops, Recurrent, node_of, picture_of
from torch import nn

from pdt_annotate.graphs.read.plain_nodes import place_of
from pdt_annotate.graphs.read.programs import KNOWN, program_of
from pdt_annotate.graphs.to_python import class_name, to_python
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.verify.traps.graph_facts import nodes_of

X = torch.ones(2, 3, 8, 8)
SOURCE = Path(__file__).parents[2] / "helpers" / "pictured.py"
jit: Any = torch.jit


def line_of(text: str) -> int:
    return 1 + SOURCE.read_text().splitlines().index(text)


def test_what_is_compiled_stays_as_it_is() -> None:
    script = jit.script(Blocks().eval())
    before = str(script.graph), script.state_dict(), script(X)
    program_of(script, freeze=True)
    assert str(script.graph) == before[0]
    assert torch.equal(script(X), before[2])


@pytest.mark.parametrize("of", ["frozen", "script", "trace"])
def test_modules_lines_and_shapes(of: str) -> None:
    graph = picture_of(Blocks().eval(), (X,), of=of)
    kind = "aten::_convolution" if of == "trace" else "aten::conv2d"
    conv, relu = node_of(graph, kind, 2), node_of(graph, "aten::relu", -1)
    assert (conv.module, relu.module) == ("blocks.1.conv", "blocks.1")
    assert conv.place.line == relu.place.line == line_of("        return F.relu(self.norm(self.conv(x)) + x)")
    assert conv.place.file == str(SOURCE)
    made = graph.values[conv.outputs[0]]
    assert (made.shape, made.dtype) == ((2, 4, 6, 6), "float32")
    weight, bias = (graph.values[name] for name in conv.inputs[1:3])
    assert (weight.path, weight.shape, bias.path) == ("blocks.1.conv.weight", (4, 4, 3, 3), "blocks.1.conv.bias")
    assert graph.values[conv.inputs[4]].constant == "[1, 1]"


def test_what_the_graph_says_of_the_target() -> None:
    scripted = picture_of(Blocks().eval(), (X,), of="script")
    assert [graph_input.partition(".")[0] for graph_input in scripted.body.inputs] == ["x"]
    assert scripted.modules["blocks.1.norm"] == "torch.nn.modules.batchnorm.BatchNorm2d"
    assert [each.path for each in scripted.state] == list(Blocks().state_dict())
    assert {each.path for each in scripted.state if not each.parameter} == {
        f"blocks.{index}.norm.{name}"
        for index in (0, 1)
        for name in ("running_mean", "running_var", "num_batches_tracked")
    }


def test_a_frozen_program_has_what_torch_leaves_of_it() -> None:
    model = Attention().eval()
    graph = picture_of(model, (torch.ones(2, 3, 8),))
    found = Counter(node.kind for node in graph.walk())
    torchs = Counter(node.kind() for node in nodes_of(jit.freeze(jit.script(model), optimize_numerics=False).graph))
    for kind in ("aten::linear", "aten::layer_norm", "aten::scaled_dot_product_attention", "aten::size"):
        assert found[kind] == torchs[kind], kind
    asked = {node.kind for node in graph.walk() if any(graph.values[name].path for name in node.inputs)}
    assert not asked & KNOWN.keys(), "what never changes is known"


def test_branches_have_shapes_where_they_ran_and_loops_carry_what_they_begin_with() -> None:
    graph = picture_of(Gate(), (torch.ones(2, 3),), of="script")
    branch = node_of(graph, "prim::If")
    assert [region.name for region in branch.regions] == ["then", "else"]
    assert [graph.values[region.outputs[0]].shape for region in branch.regions] == [(2, 3), None]
    assert graph.values[branch.outputs[0]].shape == (2, 3)
    graph = picture_of(Loops(), (torch.ones(3, 2),), of="script")
    loop = node_of(graph, "prim::Loop")
    (region,) = loop.regions
    assert len(region.inputs) == len(loop.inputs) - 1 == len(loop.outputs) + 1 == len(region.outputs)
    assert graph.defaults[graph.body.inputs[1]] == "2"
    assert graph.defaults[graph.body.inputs[2]] == "None"


def test_shapes_are_those_of_the_call_that_is_named_and_attributes_are_read_where_they_were() -> None:
    calls = (Call((X,), name="small"), Call((torch.ones(1, 3, 9, 9),), name="large"))
    graph = picture_of(Blocks().eval(), *calls, call="large")
    assert graph.values[graph.body.inputs[0]].shape == (1, 3, 9, 9)
    graph = picture_of(Counting().eval(), (torch.ones(2, 4),), of="script")
    assert node_of(graph, "prim::SetAttr").python == "self.count = {0}"
    assert graph.state[-1].path == "count" and graph.state[-1].constant == "3"
    unsaved = next(each for each in graph.state if each.path == "steps")
    assert not unsaved.saved and unsaved.constant.startswith("torch.tensor([0.0, 1.0")
    graph = picture_of(scale, (torch.ones(3), 2.0), of="script")
    assert node_of(graph, "aten::mul").place.line and not graph.modules and not graph.state


def scale(x: torch.Tensor, by: float) -> torch.Tensor:
    return x * by


class Told(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.dtype == torch.float64:  # noqa: SIM108  (an If of the program)
            kept = x.dtype
        else:
            kept = torch.float32
        return x.to(kept)


def test_numbers_that_stand_for_dtypes() -> None:
    graph = picture_of(Told(), (torch.ones(3),), of="script")
    assert graph.values[node_of(graph, "aten::eq").inputs[1]].constant == "torch.float64"
    assert graph.values[node_of(graph, "prim::If").regions[1].outputs[0]].constant == "torch.float32"


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
    # Dynamo has another name for the root.
    graph = picture_of(nn.Sequential(nn.Linear(3, 2)), (torch.ones(1, 3),), of="compile")
    assert {value.path for value in graph.values.values()} >= {"0.weight", "0.bias"}


def test_several_graphs_are_regions_and_inputs_have_the_names_of_the_operator() -> None:
    graph = picture_of(Gate(), (torch.ones(3),), of="compile-breaks")
    names = [region.name for node in graph.body.nodes for region in node.regions]
    assert names == [f"graph {index}" for index in range(len(names))] and len(names) > 1
    assert len({node.id for node in graph.walk()}) == len(list(graph.walk()))
    graph = picture_of(Attention().eval(), (torch.ones(2, 3, 8),), of="export")
    node = next(node for node in graph.walk() if node.kind == "aten::layer_norm")
    assert node.arguments[:3] == ("input", "normalized_shape", "weight") and len(node.arguments) == len(node.inputs)


COMPILED = '  File "{}", line {}\n    x = f(x)\n        ~ <--- HERE\n'
TRACED = "/lib/torch/conv.py(560): _conv\n/root/net.py(12): forward\n/root/net.py(30): outer\n"


def test_the_place_of_a_node_is_the_innermost_below_the_root() -> None:
    for nowhere in (["", "in a builtin"], ['  File "<string>", line 3\n']):
        assert place_of(nowhere, "/root") == NO_PLACE
    ranges = [COMPILED.format("/lib/torch/functional.py", 9), COMPILED.format("/root/net.py", 4)]
    assert place_of([*ranges, COMPILED.format("/root/net.py", 8)], "/root") == Place("/root/net.py", 4)
    assert place_of(ranges, "/elsewhere") == Place("/lib/torch/functional.py", 9)
    assert place_of([TRACED], "/root") == Place("/root/net.py", 12)
    stack = 'File "/root/net.py", line 1, in outer\n    f()\n  File "/root/net.py", line 2, in f\n    g()\n'
    assert place_of(reversed(stack.splitlines()), "/root") == Place("/root/net.py", 2)


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
    torch.manual_seed(1)  # another state, in which parameters that were equal at first are different
    state = {
        name: torch.rand_like(value) if value.is_floating_point() else value
        for name, value in model.state_dict().items()
    }
    model.load_state_dict(state)
    generated = run(graph, state)
    for args in calls:
        with torch.no_grad():
            expected, found = model(*copy.deepcopy(args)), generated(*copy.deepcopy(args))
        torch.testing.assert_close(found, expected)


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


def test_a_raised_error_is_raised_and_a_module_that_stays_whole_is_refused() -> None:
    generated = run(picture_of(Loops(), (R(3, 2),)), {})
    with pytest.raises(ValueError, match="two dimensions, not 3"):
        generated(R(1, 2, 3))
    graph = picture_of(Blocks(), (R(1, 3, 8, 8),), of="fx")
    with pytest.raises(UserError, match="nn::Conv2d cannot be written in Python"):
        to_python(graph)
