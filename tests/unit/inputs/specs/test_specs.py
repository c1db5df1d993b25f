"""What holds for specs in every format."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from pdt_annotate.inputs.specs import FORMATS, read, seed_generators
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import SpecSource

pytestmark = pytest.mark.usefixtures("project")


def test_args_alone_make_one_call() -> None:
    spec = read(SpecSource(args=("f32[2]", "3", "mask=None")))
    (call,) = spec.calls
    assert (len(call.args), call.kwargs, spec.build) == (2, {"mask": None}, None)


def test_args_add_a_call_to_those_of_a_file() -> None:
    Path("spec.py").write_text("import torch\nmodel = torch.nn.Linear(1, 1)\ncalls = [(1,)]\n")
    spec = read(SpecSource("spec.py", args=("2",)))
    assert [call.args for call in spec.calls] == [(1,), (2,)]
    assert spec.build is not None


def test_the_same_spec_gives_the_same_values() -> None:
    first, second = (read(SpecSource(args=("f32[4]",))).calls[0].args[0] for _ in range(2))
    assert torch.equal(first, second)


def test_seed_generators() -> None:
    drawn = []
    for _ in range(2):
        seed_generators(2**40)
        drawn.append((torch.rand(1).item(), random.random(), np.random.rand()))
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_says_how_to_give_calls(suffix: str) -> None:
    Path(f"empty{suffix}").write_text("{}")
    with pytest.raises(SpecError, match="no example call") as caught:
        read(SpecSource(f"empty{suffix}"))
    assert caught.value.hint == FORMATS[suffix].explain(f"empty{suffix}", "")


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        (SpecSource(), "there is no example call", "--arg"),
        (SpecSource("spec.txt"), "this is no file of example inputs", ".yaml"),
        (SpecSource("spce.py"), "there is no file spce.py", "did you mean spec.py?"),
        (SpecSource("nowhere/spec.py"), "there is no file", ""),
    ],
)
def test_no_spec(source: SpecSource, message: str, hint: str) -> None:
    Path("spec.py").write_text("calls = [(1,)]")
    with pytest.raises(SpecError) as caught:
        read(source)
    assert message in caught.value.message
    assert hint in caught.value.hint
