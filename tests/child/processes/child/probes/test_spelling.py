"""A call as a line: what a spec reads of it is the call again."""

from __future__ import annotations

import enum
import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
import yaml

import pdt_annotate
from pdt_annotate.inputs.specs.calls import read_call
from pdt_annotate.inputs.specs.yaml_spec import read_yaml
from pdt_annotate.processes.child.probes.space import make
from pdt_annotate.processes.child.probes.spelling import spell
from pdt_annotate.processes.child.probes.tree import Fill
from pdt_annotate.values.runs import Call


class Color(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: Any
    y: int


def fill(*shape: int, dtype: torch.dtype = torch.float32, how: str = "randn", **more: Any) -> Fill:
    return Fill(shape, dtype, how, **more)


PLAIN: list[Any] = [
    None,
    True,
    -3,
    0.25,
    math.inf,
    math.nan,
    "",
    'é "quoted"\n',
    [],
    [1, [2.5]],
    {},
    {"tensor": [1]},
    {"a": (1,), "b": ()},
    torch.Size([2, 3]),
    torch.float16,
    torch.device("cpu"),
    torch.tensor([[1.5, -0.1]]),
    torch.tensor(7),
    torch.tensor([True, False]),
    torch.tensor([1, 2], dtype=torch.int32),
    fill(2, 3),
    fill(2, 3, how="zeros"),
    fill(how="ones"),
    fill(4, how="nan"),
    fill(20, how="zeros", dtype=torch.int64),
    fill(2, 2, dtype=torch.float64, requires_grad=True),
    fill(0, 3, how="zeros"),
]
DRAWN = [
    fill(4, 9, seed=3),
    fill(4, 9, how="rand", dtype=torch.float64, seed=1),
    fill(4, 9, how="randint", low=-2, high=5, dtype=torch.int64, seed=2),
    fill(4, 9, how="randint", low=0, high=1, dtype=torch.bool, seed=2),
    fill(4, 9, dtype=torch.float16, requires_grad=True),
]


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype and one.shape == other.shape and one.requires_grad == other.requires_grad
        assert torch.equal(one.nan_to_num(), other.nan_to_num())
        return
    assert type(one) is type(other)
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_same(mine, theirs)
    else:
        assert one == other or (one != one and other != other)


def read_python(text: str) -> Call:
    known = {"torch": torch, "pdt_annotate": pdt_annotate, "Color": Color, "Point": Point}
    return read_call(eval(text, known), "the call")


def read_lines(text: str, tmp_path: Path) -> tuple[Call, ...]:
    (tmp_path / "spec.yaml").write_text(f"calls:\n{text}\n")
    return read_yaml(str(tmp_path / "spec.yaml"), "", None).calls


@pytest.mark.parametrize("value", [*PLAIN, *DRAWN, Color.RED, Point(torch.zeros(2), 3)], ids=repr)
def test_python_makes_the_same_value(value: Any) -> None:
    call = Call((value,))
    assert_same(make(call, "cpu").args, read_python(spell(call, "python")).args)


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_yaml_makes_the_same_value(value: Any, tmp_path: Path) -> None:
    call = Call((value,), {"k": value})
    (read,) = read_lines(spell(call, "yaml"), tmp_path)
    assert_same(make(call, "cpu").args, read.args)
    assert_same(make(call, "cpu").kwargs["k"], read.kwargs["k"])


def test_yaml_names_what_is_imported() -> None:
    (said,) = yaml.safe_load(spell(Call((Color.RED, Point(1, 2))), "yaml"))
    assert said == {
        "args": [
            {"enum": f"{__name__}:Color.RED"},
            {"namedtuple": f"{__name__}:Point", "fields": {"x": 1, "y": 2}},
        ]
    }


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call(), "()"),
        (Call((1, 2)), "(1, 2)"),
        (Call((), {"n": 1}), '{"n": 1}'),
        (Call((1,), {"n": 1}), 'pdt_annotate.Call((1,), {"n": 1})'),
        (Call((1,), method="decode"), 'pdt_annotate.Call((1,), method="decode")'),
        (Call((1,), mode="train"), 'pdt_annotate.Call((1,), mode="train")'),
    ],
)
def test_python_needs_no_more_than_the_call_does(call: Call, text: str) -> None:
    assert spell(call, "python") == text
    assert read_python(text) == call


def test_a_call_that_raises_says_so(tmp_path: Path) -> None:
    assert read_python(spell(Call((1,)), "python", raises=True)).raises
    (read,) = read_lines(spell(Call((1,), method="f", mode="eval"), "yaml", raises=True), tmp_path)
    assert (read.raises, read.method, read.mode) == (True, "f", "eval")
