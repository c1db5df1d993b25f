"""Traces that are only right for one call are distinguished from sound ones, without held-back calls."""

import copy
import random
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pdt_annotate.captures.capturable import Capturable
from pdt_annotate.captures.ways.jit import capture
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Place

pytestmark = [pytest.mark.forks, pytest.mark.usefixtures("one_thread")]
"""Further calls run in forks."""

HERE = Path(__file__)


def found(module: nn.Module, *calls: tuple[Tensor, ...]) -> dict[str, tuple[str, str]]:
    """The source line and the words of a finding, by its code."""
    kept = copy.deepcopy(module)
    examples = tuple(Call(args, name=f"call {number}") for number, args in enumerate(calls, start=1))
    subject = Capturable(module, examples, str(HERE.parent), lambda: copy.deepcopy(kept))
    findings = capture(subject).findings()
    return {each.code: (line_of(each.place), each.message) for each in findings}


def line_of(place: Place) -> str:
    assert place.file == str(HERE)
    return HERE.read_text().splitlines()[place.line - 1].strip()


class Convolutional(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout())
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.body(x)
        assert x.shape[1] == 4
        x = F.interpolate(x, scale_factor=2.0).mean((2, 3))
        return self.head(x.view(x.size(0), -1))


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(12, 4), nn.ReLU(), nn.Dropout(0.5))


def encoder() -> nn.Module:
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)


@pytest.mark.parametrize(
    ("module", "shape"),
    [
        (Convolutional().eval(), (2, 3, 8, 8)),
        (Convolutional().train(), (2, 3, 8, 8)),
        (perceptron().train(), (2, 3, 4)),
        (encoder().eval(), (2, 3, 8)),
    ],
    ids=["convolutional", "training", "perceptron", "encoder"],
)
def test_a_sound_trace_is_not_suspected(module: nn.Module, shape: tuple[int, ...]) -> None:
    assert found(module, (torch.randn(shape),)) == {}


class Branching(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x * 2
        return x - 5


class Looping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2)])

    def forward(self, x: Tensor, n: int = 3) -> Tensor:
        for i in range(x.shape[0]):
            for layer in self.layers:
                x = layer(x) * n + i
        return x


class Scaling(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * scale(x)


def scale(x: Tensor) -> int:
    number = [0] * x.shape[0]  # without a warning
    return len(number)


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x + self.calls


class Drawing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + random.random()


class Wired(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        a, b = x + 1, x * 2
        return a - b if x.size(0) > 3 else b - a


ONES = torch.ones(3, 2)


def test_a_branch_on_values_is_told_at_its_line_though_one_call_shows_one_way() -> None:
    (line, message) = found(Branching(), (ONES,))["PDT082"]
    assert line == "if x.sum() > 0:"
    assert "1 aten::mul in the trace of 'call 1', no aten::mul in the trace of 'call 1' with other values" in message
    assert "the first trace is wrong: the result differs" in message
    assert "in the trace of 'call 2'" in found(Branching(), (ONES,), (-ONES,))["PDT082"][1]


def test_an_unrolled_loop_is_told_at_its_head_and_not_at_that_of_a_loop_over_modules() -> None:
    (line, message) = found(Looping(), (ONES,))["PDT083"]
    assert line == "for i in range(x.shape[0]):"
    assert "3 aten::linear, 3 aten::mul and 3 aten::add in the trace of 'call 1', 4 aten::linear" in message


def test_what_a_call_leaves_behind_and_what_python_draws_or_makes_of_a_size_is_told() -> None:
    (line, message) = found(Scaling(), (ONES,))["PDT084"]
    assert line == "return x * scale(x)"
    assert "a value is baked in: 3 in aten::mul in the trace of 'call 1', 4 in the trace of" in message
    assert found(Wired(), (ONES,), (torch.ones(5, 2),))
    findings = found(Counting(), (ONES,))
    assert findings.keys() == {"PDT085"}
    assert "the state that 'call 1' leaves is baked in: 1 in" in findings["PDT085"][1]
    assert "a random number of Python" in found(Drawing(), (ONES,))["PDT085"][1]
