"""How calls are described: first what is not kept, then what is."""

from __future__ import annotations

import inspect
import json
from types import FrameType
from typing import Any

import pytest
import torch
from torch import nn

from pdt_annotate.observers.examples import LONGEST, MOST, Examples, describe
from pdt_annotate.values.slots import Owner

OWNER = Owner("/net.py", "f", 1)


class Secret:
    def __repr__(self) -> str:
        raise AssertionError("nothing of the program's is called")

    __eq__ = __len__ = __hash__ = __repr__  # type: ignore[assignment]


@pytest.mark.parametrize("value", ["text", b"bytes", Secret(), float("nan"), [0] * (LONGEST + 1), {"a key": 1}, {1: 1}])
def test_of_text_and_objects_only_the_class_is_kept(value: Any) -> None:
    assert set(describe(value)) == {"type"} and "text" not in json.dumps(describe(value))


def test_while_torch_traces_no_shape_is_asked_for() -> None:
    seen = []

    def f(x: torch.Tensor) -> torch.Tensor:
        seen.append(describe(x))
        return x + 1

    traced = torch.jit.trace(f, torch.ones(2, 3))
    assert seen[0] == {"type": "torch.Tensor"} and "size" not in str(traced.graph)
    assert "shape" in describe(torch.ones(2, 3))


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (None, None),
        (True, True),
        (0.5, 0.5),
        (torch.ones(2, 3), {"tensor": "float32", "shape": [2, 3]}),
        (nn.Parameter(torch.ones((), dtype=torch.float64)), {"tensor": "float64", "shape": []}),
        ([1, (None,)], {"list": [1, {"tuple": [None]}]}),
        ({"name": torch.ones(1, dtype=torch.long)}, {"dict": [["name", {"tensor": "int64", "shape": [1]}]]}),
    ],
)
def test_shapes_dtypes_and_numbers_are_kept(value: Any, described: Any) -> None:
    assert json.loads(json.dumps(describe(value))) == described


def frame_of_a_call() -> FrameType:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back


def test_calls_are_bounded_and_know_how_their_module_was_made() -> None:
    examples = Examples()

    class Base(nn.Module):
        def __init__(self, size: int) -> None:
            examples.note_construction(frame_of_a_call())
            super().__init__()

    class Net(Base):
        def __init__(self, width: int, *, deep: bool = False) -> None:
            examples.note_construction(frame_of_a_call())
            super().__init__(2 * width)

        def forward(self, x: int, *rest: int) -> None:
            examples.note_call(OWNER, frame_of_a_call(), is_method=True)

    net = Net(3)
    net(1, 2)  # with more than has names
    examples.call = "test_it"
    for number in range(MOST + 1):
        net(number)
    assert [json.loads(each.arguments) for each in examples.all()] == [{"x": number} for number in range(MOST)]
    assert {(each.call, json.loads(each.made)["width"]) for each in examples.all()} == {("test_it", 3)}
    assert all(each.cls.endswith(".Net") for each in examples.all())
