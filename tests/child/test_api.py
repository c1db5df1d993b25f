"""The library's functions: the same as the command line, with values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_type

import pytest

import pdt_annotate
from pdt_annotate.graphs.program import ProgramGraph
from pdt_annotate.values.errors import SpecError, TargetError, UserError

if TYPE_CHECKING:

    def what_a_type_checker_knows() -> None:
        """mypy checks this function in `make lint`, and that each ignored error exists."""
        pdt_annotate.annotate("m:f", args=["3"], scope="observed", returns="all", spelling="modern", mend="all")
        pdt_annotate.annotate("m:f", scope="every")  # type: ignore[arg-type]
        pdt_annotate.annotate("m:f", third_party="stub")  # type: ignore[arg-type]
        pdt_annotate.capture("m:f", ways=["script", "make_fx"])
        pdt_annotate.capture("m:f", ways=["exprot"])  # type: ignore[list-item]
        assert_type(pdt_annotate.graph("m:f", of="frozen-trace"), ProgramGraph)
        pdt_annotate.graph("m:f", of="frosen")  # type: ignore[arg-type]


MODEL = """\
def f(x, n):
    sizes = []
    for i in range(n):
        sizes.append(i)
    return x * len(sizes)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "spec.py").write_text("import torch\n\nexample_inputs = [(torch.ones(2), 2)]\n")
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    return file


@pytest.mark.parametrize(
    ("name", "targets", "given", "error", "said"),
    [
        ("annotate", [], {"args": ["3"]}, TargetError, ""),
        ("annotate", "model.py:f", {"args": []}, SpecError, ""),
        ("annotate", "model.py:f", {"inputs": "missing.py", "args": []}, SpecError, ""),
        ("annotate", "model.py:f", {"root": "missing"}, UserError, ""),
        ("annotate", "model.py:f", {"returns": "some"}, ValueError, "some"),
        ("annotate", "model.py:f", {"returns": "None"}, ValueError, "None"),
        ("graph", "model.py:f", {"of": "frosen"}, UserError, "--of"),
        ("capture", "nowhere.py:f", {"ways": ["exprot"]}, UserError, "no way of capturing is named 'exprot'"),
        *(
            (name, "model.py:f", {"python": "no-such-environment"}, UserError, "there is no no-such-environment")
            for name in ("annotate", "capture", "graph", "observe")
        ),
    ],
)
def test_faults_are_errors(name: str, targets: str, given: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said or None):
        getattr(pdt_annotate, name)(targets, **{"args": ["f32[2]", "2"], **given})


def test_paths_and_texts_and_nothing_is_written(model: Path) -> None:
    by_file = pdt_annotate.annotate(f"{model}:f", model.parent / "spec.py", root=model.parent, probe=False)
    by_text = pdt_annotate.annotate(
        [f"{model}:f"], args=["f32[2]", "2"], root=str(model.parent), returns="all", probe=False
    )
    assert by_file.verified and by_text.verified
    assert {a.slot.name: str(a.type) for a in by_file.annotations} == {"x": "Tensor", "n": "int", "sizes": "List[int]"}
    assert "return" in {a.slot.name for a in by_text.annotations}
    assert model.read_text() == MODEL
    assert by_file.root == by_text.root == str(model.parent)


ODD_OBJECTS = """\
import sys
from types import ModuleType

import torch
from torch import nn

class Lazy(ModuleType):
    def __getattr__(self, name):
        raise self.error(f"{self.name} is not installed")

for name, error in (("sound", ImportError), ("device", RuntimeError), ("deep", RecursionError)):
    sys.modules[name] = Lazy(name)
    vars(sys.modules[name]).update(name=name, error=error)

class Unbound:
    @property
    def __class__(self):
        raise RuntimeError("not bound")
    __getattr__ = __class__.fget

class Asks(type):
    def __getattr__(cls, name):
        raise ImportError(name)

class Config:
    __module__ = None
    def __getattr__(self, name):
        return getattr(self, name + "_")
    def __deepcopy__(self, memo):
        raise ImportError("sound")

class Net(nn.Module):
    default = Config()
    def __init__(self):
        super().__init__()
        self.config = Config()
    def forward(self, x, n):
        if torch.jit.is_scripting():
            return x * n
        return x.mul(n)

class OfAnInstance(Net):
    def __init__(self):
        super().__init__()
        vars(self)["odd"] = Unbound()

class OfTheClass(Net):
    odd = Unbound()

class OfItsClass(Net):
    def __init__(self):
        super().__init__()
        self.odd = Asks("Odd", (), {})()
"""


def test_objects_that_raise_when_they_are_asked(model: Path) -> None:
    model.write_text(ODD_OBJECTS)
    assert pdt_annotate.annotate(f"{model}:Net", model.parent / "spec.py", root=model.parent, probe=False).verified
    model.write_text(ODD_OBJECTS)
    targets = [f"{model}:{name}" for name in ("OfAnInstance", "OfTheClass", "OfItsClass")]
    outcome = pdt_annotate.annotate(targets, model.parent / "spec.py", root=model.parent)
    assert not outcome.verified
    assert [(each.target.text, each.parts[0].is_sound) for each in outcome.blame] == [(name, False) for name in targets]


NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    def forward(self, x, scale=None):
        sizes = []
        for size in x.shape:
            sizes.append(size)
        y = self.body(x)
        return y if scale is None else y * scale

calls = [(torch.ones(2, 3),), (torch.ones(5, 3), 2.0)]
"""


def test_the_graph_of_a_target_that_must_be_annotated(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(NET)
    graph = pdt_annotate.graph(f"{file}:Net", f"{file}:calls", root=tmp_path)
    assert file.read_text() == NET
    linear = next(node for node in graph if node.kind == "aten::linear")
    assert len(graph) == len(list(graph)) > 1
    assert (linear.module, linear.place.file, linear.place.line) == ("body.0", str(file), 12), "as on disk"
    assert graph.values[linear.outputs[0]].shape == (2, 4)
    assert graph.links.producer(linear.outputs[0]) == linear
    assert "aten::linear" not in {node.kind for node in graph.collapse(1)}
    assert "self.body[0].weight" in graph.to_python()
    assert graph.to_dot().startswith("digraph") and "<svg" in graph.to_svg() and "<svg" in graph.to_html()
    assert graph.to_networkx().nodes[linear.id]["line"] == 12
    assert '"file": "net.py"' in graph.to_json()
    assert type(graph).from_json(graph.to_json(), str(tmp_path)) == graph


def test_captures_are_values(model: Path) -> None:
    found = pdt_annotate.capture(f"{model}:f", args=["f32[2]", "2"], ways=["script"], root=model.parent)
    assert [each.version for each in found] == ["as it is", "annotated"]
    assert [capture.fate.value for each in found for capture in each.captures] == ["refused", "same"]
    (refused,) = found[0].captures
    assert refused.failure and refused.failure.place.file == str(model)
    assert model.read_text() == MODEL
